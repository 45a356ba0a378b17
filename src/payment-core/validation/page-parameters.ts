import type { ParameterError } from './parameter-error.js';
import { presentText } from './present-value.js';

/** Pages beyond this are reached with `after`, which skips nothing. */
const mostPages = 1_000_000;

/** The number of a page, as a number or as the text of one; undefined if it is neither. */
export function readPageNo(pageNo: unknown): number | undefined {
  const number = typeof pageNo === 'string' && /^[1-9]\d{0,6}$/.test(pageNo) ? Number(pageNo) : pageNo;
  return typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= mostPages
    ? number
    : undefined;
}

/** The violation by a number of a page that `readPageNo` does not accept. */
export const pageNoViolation = (pageNo: unknown): ParameterError =>
  pageViolation('pageNo', pageNo, `must be a number from 1 to ${mostPages}`);

/** The violation by a number of a page beside `after`, which says where the page begins. */
export const pageNoWithAfter = (pageNo: unknown): ParameterError =>
  pageViolation('pageNo', pageNo, 'cannot be sent with after');

/**
 * The violation by a parameter that chooses a page or a part of an answer. Only its text can be shown; a program may
 * pass anything.
 */
export function pageViolation(name: string, value: unknown, message: string): ParameterError {
  const shown = typeof value === 'string' || typeof value === 'number' ? presentText(String(value)) : null;
  return { name, value: shown, message: `${name} ${message}` };
}
