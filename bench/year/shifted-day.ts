import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { settlementDate } from '../generate.js';
import { latePayments, unknownPrefix } from './late-payments.js';
import { generateUnkind } from '../unkind/generate.js';

/** One settlement day with the payments that it names. */
export interface Day {
  /** SettlementDate of its records. */
  readonly date: string;
  /** The day after: the date of the run that takes it in. */
  readonly asOf: string;
  readonly settlementFile: string;
  readonly paymentsFile: string;
  /** What is stored days later ({@link latePayments}). */
  readonly latePaymentsFile: string;
}

export interface DaySize {
  readonly rows: number;
  readonly payments: number;
}

/** A date this many days later, or earlier. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/**
 * A day of unkind data (`bench/unkind`) that is this many days before the usual one, or after it. Its seed differs from
 * that of every other day, so that no two days have a payment or a record in common.
 */
export async function shiftedDay(
  directory: string,
  size: DaySize,
  { daysEarlier, seed }: { readonly daysEarlier: number; readonly seed: number },
): Promise<Day> {
  const dataset = await generateUnkind(directory, size, { seed: seed + daysEarlier, weather: 'night' });
  const records = ofOneDay(readFileSync(dataset.settlementFile, 'utf8'), daysEarlier);
  const payments = onlyAuthorised(readFileSync(dataset.paymentsFile, 'utf8'), records);
  const shifted = (text: string, name: string) => {
    const target = path.join(directory, `${name}-${date}.csv`);
    writeFileSync(
      target,
      text.replace(/2026-11-\d\d/g, (day) => dateAfter(day, -daysEarlier)),
    );
    return target;
  };
  const date = dateAfter(settlementDate, -daysEarlier);
  return {
    date,
    asOf: dateAfter(date, 1),
    settlementFile: shifted(records, 'settlement'),
    paymentsFile: shifted(payments, 'payments'),
    latePaymentsFile: shifted(latePayments(records, payments), 'late-payments'),
  };
}

/**
 * Ids that a row has only because of its place in the file: without this, a row of another day would look redelivered.
 */
function ofOneDay(records: string, daysEarlier: number): string {
  const number = (daysEarlier >>> 0).toString(16).padStart(8, '0');
  return records
    .replaceAll(';STL-', `;STL-${number}-`)
    .replaceAll(`;${unknownPrefix}00000000`, `;${unknownPrefix}${number}`);
}

/**
 * The payments file with type PA for each payment that no record names: it was only authorised. Else half of the
 * payments of each past day would be missing settlements.
 */
function onlyAuthorised(payments: string, records: string): string {
  const named = new Set(records.split('\n').flatMap((line) => line.split(';').slice(10, 14)));
  return payments
    .split('\n')
    .map((line) => {
      const [id = '', shortId = '', type = '', ...rest] = line.split(';');
      const isNamed = named.has(id) || named.has(shortId) || named.has(rest[7] ?? '');
      return isNamed || type === 'PaymentType' || id === '' ? line : [id, shortId, 'PA', ...rest].join(';');
    })
    .join('\n');
}
