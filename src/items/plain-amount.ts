/**
 * A search text without the signs between thousands, if it is an amount as a report, a page or a spreadsheet shows it:
 * `1500.00` for `1,500.00`, `1 500.00` and `1.500,00`. Any other text is as it was.
 */
export function plainAmount(text: string): string {
  const amount =
    /^[-\u2212]?(?<whole>\d{1,3}(?:(?<between>[,.'\u2019 \u00A0\u202F])\d{3})(?:\k<between>\d{3})*|\d+)(?:(?<point>[.,])(?<cents>\d{2}))?$/u.exec(
      text.trim(),
    )?.groups;
  if (amount === undefined) return text;
  const { whole = '', between, point, cents } = amount;
  if (cents === undefined || between === point) return text;
  return `${whole.replace(/\D/g, '')}.${cents}`;
}
