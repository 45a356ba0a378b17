/** Thousands of a number as text, `1,234.50`: amounts are never numbers here. */
export function groupThousands(number: string): string {
  return number.replace(/\d(?=(?:\d{3})+(?:\.|$))/g, '$&,');
}
