type Random = (bytes: number) => Buffer;

/** Id of a payment, registration or job: 32 hexadecimal digits (operations 2.1). */
export function newId(random: Random): string {
  return random(16).toString('hex');
}

/**
 * Id of a checkout: 32-48 characters of letters, digits, dot and hyphen (operations 2.1). It has no dot, so that it can
 * be the `ndc` of its payments.
 */
export function newCheckoutId(random: Random, environment: string): string {
  return `${random(16).toString('hex').toUpperCase()}-${environment}`;
}

/** `1234.5678.9012`: 14 characters, short enough to read out on the phone. */
export function newShortId(random: Random): string {
  const digits = (random(6).readUIntBE(0, 6) % 1_000_000_000_000).toString().padStart(12, '0');
  return `${digits.slice(0, 4)}.${digits.slice(4, 8)}.${digits.slice(8)}`;
}

/** Identifier of a request (`ndc`): letters, digits and hyphens, at most 69. */
export function newNdc(random: Random): string {
  const digits = random(32).toString('hex');
  return `${digits.slice(0, 32)}-${digits.slice(32)}`;
}
