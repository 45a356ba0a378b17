import { formatAmount, parseAmount } from '../../values/money.js';

/** `12` or `12.00` (N10.N2, operations notation) in hundredths; undefined for any other text. */
export function readAmount(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  return parseAmount(text.includes('.') ? text : `${text}.00`);
}

/** The highest amount in hundredths: ten digits before the dot. */
export const highestAmount = 999_999_999_999n;

export { formatAmount as writeAmount };
