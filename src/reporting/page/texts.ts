import { groupThousands } from '../../values/group-thousands.js';
import { formatAmount } from '../../values/money.js';

/** A whole number with its thousands grouped: `1,234`. */
export const count = (number: number): string => groupThousands(String(number));

/** `1,234.50`, with a minus sign that is as wide as a digit. */
export const money = (amountMinor: bigint): string =>
  groupThousands(formatAmount(amountMinor)).replace('-', '−');

/** `1 item`, `2 items` */
export const counted = (number: number, one: string, several = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : several}`;

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `2026-11-20` → `Friday, 20 November 2026`: a date in figures is read differently in different countries. */
export function longDate(date: string): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return `${days[weekday(year, month, day)] ?? ''}, ${day} ${months[month - 1] ?? ''} ${year}`;
}

/** 0 is Monday; Sakamoto's method, which needs no clock and no zone. */
function weekday(year: number, month: number, day: number): number {
  const shift = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1] ?? 0;
  const y = month < 3 ? year - 1 : year;
  return (y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + shift + day + 6) % 7;
}
