/** This many digits of a DiscrepancyId name a finding if no other id begins with them. */
export const leastDigits = 6;

/** The lowest and the highest DiscrepancyId that begin with these digits; null for other texts and for fewer digits. */
export function idsBeginning(digits: string): { readonly lowest: string; readonly highest: string } | null {
  if (!new RegExp(`^[0-9a-f]{${leastDigits},32}$`).test(digits)) return null;
  return { lowest: digits.padEnd(32, '0'), highest: digits.padEnd(32, 'f') };
}
