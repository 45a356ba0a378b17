import type { CellMeaning } from './cell-damage.js';
import { isSameText } from './same-value.js';

/**
 * Whether a cell that was given back may be what a spreadsheet of some country made of a cell that its column does not
 * allow, although nobody touched it: `12,5` or 12.5 of `12,50`, `1.250,00` of `1250,00`, 2026-11-19 of `19.11.2026`.
 * The program that saved the cell read it by the rules of the same country.
 */
export function isSameWriting(meaning: CellMeaning, given: string, original: string): boolean {
  if (given.trim() === original.trim()) return true;
  switch (meaning) {
    case 'amount':
      return countries.some((country) => {
        const [shown, before] = [amountIn(country, given), amountIn(country, original)];
        // A workbook holds the number itself.
        const stored = /^-?\d+(?:\.\d+)?$/.test(given) ? given : undefined;
        return before !== undefined && [shown, stored].some((text) => isSameAmount(text, before));
      });
    case 'date':
      return isAnyDayShared(given, original);
    case 'timestamp': {
      // No date is longer. Without a limit, a cell of a million times the letter T would take a quarter of an hour.
      const [shown, before] = [given, original].map((text) =>
        /^(\S{1,40})[ T]+(\d{1,2}:\d\d)/.exec(text.trim()),
      );
      return (
        shown?.[2]?.padStart(5, '0') === before?.[2]?.padStart(5, '0') &&
        isAnyDayShared(shown?.[1] ?? '', before?.[1] ?? '')
      );
    }
    case 'last four':
    case 'reference':
    case 'other':
      return isSameText(given, original);
  }
}

interface Country {
  readonly decimal: '.' | ',';
  /** Between thousands; spreadsheets also ignore such a mark elsewhere. */
  readonly group: RegExp;
}

const countries: readonly Country[] = [
  { decimal: ',', group: /[.'\u2019 \u00a0\u202f]/g },
  { decimal: '.', group: /[,'\u2019 \u00a0\u202f]/g },
];

/** The amount as digits with a dot, without its currency; undefined for what is none in this country. */
function amountIn({ decimal, group }: Country, text: string): string | undefined {
  const number = text.trim().replace(/^\p{Sc} ?|[ \u00a0]?(?:\p{Sc}|[A-Z]{3})$/gu, '');
  const plain = number.replaceAll(group, '').replace('\u2212', '-').replace(decimal, '.');
  return /^[+-]?\d+(?:\.\d*)?$/.test(plain) ? plain : undefined;
}

function isSameAmount(shown: string | undefined, before: string): boolean {
  if (shown === undefined || shown.startsWith('-') !== before.startsWith('-')) return false;
  const [first, second] = [shown, before].map((text) => text.replace(/^[+-]|\.$/g, ''));
  return isSameText(first ?? '', second ?? '');
}

const isAnyDayShared = (given: string, original: string) => {
  const days = daysOf(original);
  return daysOf(given).some((day) => days.includes(day));
};

/** The days that a text may mean, as year, month and day without zeros; the century is left out. */
function daysOf(text: string): readonly string[] {
  const [, first = '', mark = '', second = '', third = ''] =
    /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})$/.exec(text.trim()) ?? [];
  if (first === '') return [];
  const day = (year: string, month: string, date: string) =>
    `${year.slice(-2)} ${Number(month)} ${Number(date)}`;
  if (first.length > 2) return [day(first, second, third)];
  // With slashes, countries differ.
  return [day(third, second, first), ...(mark === '/' ? [day(third, first, second)] : [])];
}
