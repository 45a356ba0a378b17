import { hash } from 'node:crypto';

/** 256 random bits as hexadecimal: without characters that a shell or a form would change. */
export function newToken(random: (bytes: number) => Buffer): string {
  return random(32).toString('hex');
}

/** What is stored of a token: its SHA-256 in hexadecimal digits, from which nobody can compute the token. */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** The public name of a token: short enough to type, and not derived from the token. */
export function newTokenId(random: (bytes: number) => Buffer): string {
  return random(8).toString('hex');
}
