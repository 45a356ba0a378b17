import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { paymentsHeader } from '../generate.js';
import { dateAfter, type Day } from './shifted-day.js';

/** A payment is settled so many days after it was made at the latest; older ones count as made on the first day. */
const daysUntilSettled = 3;

type DayBefore = (daysEarlier: number) => Promise<Day>;

/**
 * The payments file of the morning after a settlement day: the payments that were made on that day, which are settled
 * on the following days. So each payment is stored before the run of the day after it was made, as in an installation
 * that imports its payments every night.
 *
 * @param number the settlement day, as days before the night that is measured
 */
export async function morningPayments(
  directory: string,
  dayBefore: DayBefore,
  number: number,
): Promise<string> {
  const { date } = await dayBefore(number);
  return writePayments(directory, dayBefore, { number, madeFrom: date, madeTo: date });
}

/** The payments of a settlement day and of the following ones that were made before it. */
export async function earlierPayments(
  directory: string,
  dayBefore: DayBefore,
  number: number,
): Promise<string> {
  const { date } = await dayBefore(number);
  return writePayments(directory, dayBefore, {
    number: number + 1,
    madeFrom: '',
    madeTo: dateAfter(date, -1),
  });
}

interface Made {
  /** Of the settlement days after this one, as days before the night that is measured. */
  readonly number: number;
  /** The first and the last date on which the payments were made. */
  readonly madeFrom: string;
  readonly madeTo: string;
}

async function writePayments(
  directory: string,
  dayBefore: DayBefore,
  { number, madeFrom, madeTo }: Made,
): Promise<string> {
  const lines: string[] = [];
  for (let later = 1; later <= daysUntilSettled; later += 1) {
    const day = await dayBefore(number - later);
    const first = dateAfter(day.date, -daysUntilSettled);
    for (const line of readFileSync(day.paymentsFile, 'utf8').split('\n').slice(1, -1)) {
      const requested = line.split(';')[14]?.slice(0, 10) ?? '';
      const made = requested < first ? first : requested;
      if (made >= madeFrom && made <= madeTo) lines.push(line);
    }
  }
  const target = path.join(directory, `morning-payments-${number}-${madeTo}.csv`);
  writeFileSync(target, `${paymentsHeader}${lines.map((line) => `${line}\n`).join('')}`);
  return target;
}
