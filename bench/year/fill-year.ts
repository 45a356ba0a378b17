import type { Sql } from '../../src/db/client.js';
import type { BenchServer } from '../bench-server.js';
import { copyDays, daysUntilDue } from './copy-days.js';
import { earlierPayments, morningPayments } from './morning-payments.js';
import { dateAfter, type Day } from './shifted-day.js';

/** Days that the product itself takes in at the end of the year, so that a re-run finds their files in the archive. */
export const realDays = 7;

/** Finance closes what was found this many days before. */
const daysUntilClosed = 3;

interface YearToFill {
  readonly server: BenchServer;
  readonly database: string;
  readonly session: Sql;
  /** A day this many days before the night that is measured. */
  readonly dayBefore: (daysEarlier: number) => Promise<Day>;
  readonly days: number;
  /** As in the configuration of the server's commands. */
  readonly largeFileBytes: number;
  readonly say: (text: string) => void;
  /** Where the files of payments are written. */
  readonly directory: string;
}

/**
 * Fills a database with what a year of nights leaves: one day that was imported and matched, copies of it for all days
 * but the last seven, and seven days that the product took in. The first of these nights looks at all copied days; the
 * following ones find what is new. Payments are imported in the morning after they were made.
 *
 * Of what a night finds, finance closes 99 in a hundred three days later: the payments of records that nobody knew are
 * imported, and the rest is accepted. If all of it stayed open, each night would match seven days of records again.
 *
 * @returns the oldest day
 */
export async function fillYear(year: YearToFill): Promise<Day> {
  const { server, database, session, dayBefore, days, largeFileBytes, say, directory } = year;
  const oldest = await dayBefore(days);
  const importFile = (file: string) => server.recon(database, ['payments', 'import', file]);
  const run = (day: Day, asOf: string) =>
    server.recon(database, ['run', '--file', day.settlementFile, '--as-of', asOf]);
  await importFile(oldest.paymentsFile);
  await run(oldest, dateAfter(oldest.date, daysUntilDue + 1));
  await copyDays(session, { days: days - realDays - 1, firstDate: oldest.date, largeFileBytes });
  await importFile(oldest.latePaymentsFile);
  await accept(year, oldest, 1);
  await importFile(await earlierPayments(directory, dayBefore, realDays));
  for (let number = realDays; number >= 0; number -= 1) {
    const earlier = number + daysUntilClosed;
    if (earlier <= realDays) {
      const day = await dayBefore(earlier);
      await importFile(day.latePaymentsFile);
      await accept(year, day, await runOf(session, day));
    }
    // The last one is the night that is measured.
    if (number === 0) break;
    await importFile(await morningPayments(directory, dayBefore, number));
    const day = await dayBefore(number);
    await run(day, day.asOf);
  }
  await sayWhatIsOpen(session, say);
  return oldest;
}

async function runOf(session: Sql, { asOf }: Day): Promise<number> {
  const [run] = await session<{ id: number }[]>`
    select max(id)::float8 as id from runs where kind = 'run' and as_of = ${asOf}`;
  return run?.id ?? 0;
}

/** Accepts what a run found, except for one in a hundred and the records that get a payment. */
async function accept({ server, database, session }: YearToFill, day: Day, run: number): Promise<void> {
  const found = await session<{ id: string }[]>`
    select id from discrepancies
    where resolved_run is null and first_seen_run = ${run} and (code <> 'NOT_MATCHED' or ${run} = 1)
      and ('x' || left(id, 4))::bit(16)::integer % 100 <> 0`;
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return;
  const reason = ['--accept', '--reason', 'agreed', '--by', 'finance', '--as-of', day.asOf];
  await server.recon(database, ['decide', ...ids, ...reason]);
}

async function sayWhatIsOpen(session: Sql, say: (text: string) => void): Promise<void> {
  const [counts] = await session<{ open: number; accepted: number }[]>`
    select count(*)::float8 as open, (select count(distinct item) from decisions where kind = 'accept')::float8 as accepted
    from discrepancies where resolved_run is null`;
  say(`${counts?.open ?? 0} findings are open, ${counts?.accepted ?? 0} of them accepted\n`);
}
