/**
 * Money is integer hundredths (`bigint`). The settlement file's N13 format has exactly two decimals for every currency,
 * so the scale is the same for all of them. Floats are not used anywhere.
 */

const n13 = /^\d{1,10}\.\d{2}$/;

/** `123.45` → `12345n`; undefined when the text is not 1-10 digits, a dot and 2 digits (N13). */
export function parseAmount(text: string): bigint | undefined {
  return n13.test(text) ? BigInt(text.slice(0, -3) + text.slice(-2)) : undefined;
}

/** `12345n` → `123.45`, `-5n` → `-0.05`. */
export function formatAmount(amountMinor: bigint): string {
  const digits = (amountMinor < 0n ? -amountMinor : amountMinor).toString().padStart(3, '0');
  return `${amountMinor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
