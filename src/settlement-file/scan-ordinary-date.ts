/* The dates of the fast check (`scan-ordinary-row.ts`), read from the bytes without making strings. */

const daysInMonth = Uint8Array.from([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);

/** The number yyyyMMdd, or 0 when the ten bytes are not a day of the years 1900 to 2099. */
export function dayNumber(bytes: Uint8Array, from: number): number {
  const year = digits(bytes, from, from + 4);
  const month = digits(bytes, from + 5, from + 7);
  const day = digits(bytes, from + 8, from + 10);
  if (bytes[from + 4] !== 0x2d || bytes[from + 7] !== 0x2d) return 0;
  if (year < 1900 || year > 2099 || month < 1 || month > 12 || day < 1) return 0;
  const isLeapDay = month === 2 && day === 29 && year % 4 === 0 && year !== 1900;
  return day <= (daysInMonth[month] as number) || isLeapDay ? (year * 100 + month) * 100 + day : 0;
}

/** `yyyy-MM-dd HH:mm:ss` and nothing else. */
export function isPlainTimestamp(bytes: Uint8Array, from: number): boolean {
  const hour = digits(bytes, from + 11, from + 13);
  const minute = digits(bytes, from + 14, from + 16);
  const second = digits(bytes, from + 17, from + 19);
  return (
    dayNumber(bytes, from) !== 0 &&
    bytes[from + 10] === 0x20 &&
    bytes[from + 13] === 0x3a &&
    bytes[from + 16] === 0x3a &&
    hour >= 0 &&
    hour <= 23 &&
    minute >= 0 &&
    minute <= 59 &&
    second >= 0 &&
    second <= 59
  );
}

function digits(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const digit = (bytes[at] as number) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}
