import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Who may see the page: whoever opened a link that the command printed. A link works once and gives the browser a
 * cookie. Both are 256 random bits, kept in memory only.
 */
export interface Visitors {
  /** A new token for a link; the one before no longer works. */
  newToken(): string;
  /** Whether a link that was not used yet is printed. */
  hasToken(): boolean;
  /** The cookie for a browser that opened the link; null if its token is not the printed one. */
  admit(token: string): string | null;
  /** Whether a browser has this cookie. */
  knows(cookie: string): boolean;
}

/** The browser that came first is sent away when more than this many were admitted. */
const mostVisitors = 50;

/** Keeps the tokens and cookies of one process, in memory. */
export function createVisitors(): Visitors {
  let token: string | null = null;
  const cookies: string[] = [];
  const secret = () => randomBytes(32).toString('base64url');
  return {
    newToken: () => (token = secret()),
    hasToken: () => token !== null,
    admit: (given) => {
      if (token === null || !isSame(given, token)) return null;
      token = null;
      const cookie = secret();
      cookies.push(cookie);
      if (cookies.length > mostVisitors) cookies.shift();
      return cookie;
    },
    knows: (given) => cookies.some((cookie) => isSame(given, cookie)),
  };
}

/** The value of a cookie; empty if the request has none of this name. */
export function cookieOf({ cookie }: IncomingHttpHeaders, name: string): string {
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** Takes the same time wherever the texts differ. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
