import { readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { addDays, startOfDay } from '../../src/values/calendar-date.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { createInstallation, paymentId, settlementFile, type Installation } from './installation.js';

/** What must arrive from a source, and what a run says when it does not (design 4.10). */

const config = (expected: string) => `logLevel: silent
sources:
  - name: bank
    protocol: local
    folder: inbox
    expected: ${expected}
`;

/** A file with a record of each of these days, which the sender put there at a moment. */
function deliver(installation: Installation, name: string, dates: readonly string[], atMs: number): string {
  const rows = dates.map((date, index) => ({
    UniqueID: paymentId(index + 1),
    SettlementTxId: `${name}-${index}`,
    SettlementDate: date,
  }));
  const file = installation.write(path.join('inbox', name), settlementFile(...rows));
  utimesSync(file, atMs / 1000, atMs / 1000);
  return file;
}

/** The program's clock stands still at a moment: what is due depends on the day and the time of day. */
function stopClock(at: string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(at) });
}

afterEach(() => {
  vi.useRealTimers();
});

const at = (date: string, hours: number) => startOfDay(date, 'UTC') + hours * 3_600_000;
const short = ({ expected }: RunOutcome) =>
  expected.map(({ date, status, files }) => [date, status, ...files].join(' '));

test('without any file a run ends with exit code 8 once the deadline is over', async () => {
  const installation = await createInstallation();
  installation.write('inbox/none.txt', '');
  installation.write('recon.config.yaml', config("{ days: daily, deadline: '07:00' }"));
  const { code, document } = await installation.json<RunOutcome>('run', '--as-of', '2026-11-20');
  expect(code).toBe(8);
  expect(document.exitCode).toBe(8);
  expect(document.expected).toEqual([
    {
      source: 'bank',
      date: '2026-11-19',
      status: 'missing',
      due: '2026-11-20T07:00:00.000Z',
      files: [],
      problems: [],
    },
  ]);
  const summary = JSON.parse(readFileSync(document.reports?.summary ?? '', 'utf8')) as RunOutcome;
  expect(summary.expected).toEqual(document.expected);
  const printed = await installation.recon('run', '--as-of', '2026-11-20');
  expect(printed.stdout).toContain(
    'Expected deliveries\n  bank 2026-11-19: missing since 2026-11-20T07:00Z\n  0 of 1 arrived in time\n',
  );
  expect(await installation.recon('run', '--as-of', '2026-11-20', '--quiet')).toMatchObject({
    code: 8,
    stdout: '',
    stderr: 'recon: run 3: bank 2026-11-19: missing since 2026-11-20T07:00Z\n',
  });
});

test('of two deliveries of one day, each is named by its files', async () => {
  const installation = await createInstallation();
  installation.write('inbox/none.txt', '');
  installation.write(
    'recon.config.yaml',
    config(`
      - { days: daily, deadline: '07:00', filePattern: 'card-*.csv' }
      - { days: daily, deadline: '08:00', filePattern: 'debit-*.csv' }`),
  );
  deliver(installation, 'card-1.csv', ['2026-11-19'], at('2026-11-20', 6));
  const { code, document } = await installation.json<RunOutcome>('run', '--as-of', '2026-11-20');
  expect(code).toBe(8);
  expect(document.expected.map(({ status, filePattern }) => [status, filePattern])).toEqual([
    ['arrived', 'card-*.csv'],
    ['missing', 'debit-*.csv'],
  ]);
  const quiet = await installation.recon('run', '--as-of', '2026-11-20', '--quiet');
  expect(quiet.stderr).toBe('recon: run 2: bank 2026-11-19 (debit-*.csv): missing since 2026-11-20T08:00Z\n');
});

test('arrived, late, missing and outstanding; a late record of an earlier day is no delivery of that day', async () => {
  const installation = await createInstallation();
  installation.write(
    'recon.config.yaml',
    config(
      "{ days: daily, deadline: '07:00', timezone: Europe/Berlin, sequence: '_(\\d+)\\.csv$', rows: { min: 2 } }",
    ),
  );
  deliver(installation, 'a_1.csv', ['2026-11-15', '2026-11-15'], at('2026-11-16', 6));
  deliver(installation, 'a_2.csv', ['2026-11-16', '2026-11-16'], at('2026-11-17', 6) + 1000);
  // Of the 17th there is only a late record, in the file of the 18th.
  deliver(installation, 'a_4.csv', ['2026-11-17', '2026-11-18'], at('2026-11-19', 5));
  const first = await installation.json<RunOutcome>('run', '--as-of', '2026-11-19');
  expect([first.code, short(first.document)]).toEqual([
    8,
    [
      '2026-11-15 arrived a_1.csv',
      '2026-11-16 late a_2.csv',
      '2026-11-17 missing',
      '2026-11-18 arrived a_4.csv',
    ],
  ]);
  expect(first.document.expected.flatMap(({ problems }) => problems)).toEqual([
    'a_4.csv: Between 2 and 4, the number 3 did not arrive.',
  ]);

  // The missing file comes, with too few rows: everything arrived, nothing is missing any more.
  deliver(installation, 'a_3.csv', ['2026-11-17'], at('2026-11-18', 5));
  const second = await installation.json<RunOutcome>('run', '--as-of', '2026-11-19');
  expect([second.code, short(second.document)[2]]).toEqual([0, '2026-11-17 arrived a_3.csv']);
  expect(second.document.expected.flatMap(({ problems }) => problems)).toEqual([
    'a_3.csv: It has 1 row, and at least 2 are expected.',
  ]);

  const range = ['--from', '2026-11-16', '--to', '2026-11-17', '--as-of', '2026-11-19'];
  const rerun = await installation.json<RunOutcome>('rerun', ...range);
  expect([rerun.code, short(rerun.document)]).toEqual([
    0,
    ['2026-11-16 late a_2.csv', '2026-11-17 arrived a_3.csv'],
  ]);

  // A withdrawn file is no delivery.
  await installation.recon('files', 'withdraw', 'a_3.csv', '--reason', 'of another merchant');
  expect((await installation.json<RunOutcome>('rerun', ...range)).code).toBe(8);
  await installation.recon('files', 'restore', 'a_3.csv', '--reason', 'of ours after all');
  expect((await installation.json<RunOutcome>('rerun', ...range)).code).toBe(0);
});

test('a run of one source judges what all sources expect', async () => {
  const installation = await createInstallation();
  installation.write('inbox/none.txt', '');
  installation.write('other/none.txt', '');
  installation.write(
    'recon.config.yaml',
    `${config("{ days: daily, deadline: '07:00' }")}  - { name: other, protocol: local, folder: other }\n`,
  );
  const { code, document } = await installation.json<RunOutcome>(
    ...['run', '--source', 'other', '--as-of', '2026-11-20'],
  );
  expect(document.sources.map(({ name }) => name)).toEqual(['other']);
  expect([code, short(document)]).toEqual([8, ['2026-11-19 missing']]);
});

test('a file that is replaced under its name does not use its running number a second time', async () => {
  const installation = await createInstallation();
  const sequence = "sequence: '_(\\d+)(?:-\\w+)?\\.csv$'";
  installation.write('recon.config.yaml', config(`{ days: daily, deadline: '07:00', ${sequence} }`));
  const problems = async () => {
    const { document } = await installation.json<RunOutcome>('run', '--as-of', '2026-11-20');
    return document.expected.flatMap((delivery) => delivery.problems);
  };
  deliver(installation, 'a_7.csv', ['2026-11-18'], at('2026-11-19', 5));
  deliver(installation, 'a_8.csv', ['2026-11-19'], at('2026-11-20', 5));
  expect(await problems()).toEqual([]);
  deliver(installation, 'a_8.csv', ['2026-11-19', '2026-11-19'], at('2026-11-20', 6));
  expect(await problems()).toEqual([]);
  deliver(installation, 'a_8-b.csv', ['2026-11-19'], at('2026-11-20', 6) + 1000);
  expect(await problems()).toEqual(['a_8-b.csv: The number 8 was already used by a_8.csv.']);
});

test('today a delivery is outstanding until its deadline', async () => {
  const installation = await createInstallation();
  const today = '2026-11-19';
  stopClock(`${today}T12:00:00Z`);
  installation.write('inbox/none.txt', '');
  installation.write(
    'recon.config.yaml',
    config("{ days: daily, deadline: '23:59', lagDays: 0, timezone: UTC }"),
  );
  const { code, document } = await installation.json<RunOutcome>('run');
  expect([code, short(document)]).toEqual([0, [`${today} outstanding`]]);
  deliver(installation, 'a.csv', [today], Date.now() - 120_000);
  expect(short((await installation.json<RunOutcome>('run')).document)).toEqual([`${today} arrived a.csv`]);
  // The end of tomorrow is a moment at which today's delivery arrived and tomorrow's is missing.
  const tomorrow = await installation.json<RunOutcome>('run', '--as-of', addDays(today, 1));
  expect(short(tomorrow.document)).toEqual([`${today} arrived a.csv`, `${addDays(today, 1)} missing`]);
});

describe('a rejected file', () => {
  test('is no delivery, and the highest exit code is given', async () => {
    const installation = await createInstallation();
    installation.write(
      'recon.config.yaml',
      config("{ days: weekdays, deadline: '07:00', holidays: TARGET2 }"),
    );
    installation.write('inbox/broken.csv', 'Not;The;Header\n');
    const { code, document } = await installation.json<RunOutcome>('run', '--as-of', '2026-11-20');
    expect(document.files.map(({ status }) => status)).toEqual(['rejected']);
    expect([code, short(document)]).toEqual([8, ['2026-11-19 missing']]);
  });
});

test('a corrected row counts in the delivery of its day from the run on that enters it', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', config("{ days: daily, deadline: '07:00' }"));
  // The only row of the 19th is rejected.
  deliver(installation, 'a.csv', ['2026-11-18', '19.11.2026'], at('2026-11-20', 5));
  const first = await installation.json<RunOutcome>('run', '--as-of', '2026-11-20');
  expect(short(first.document)).toEqual(['2026-11-18 late a.csv', '2026-11-19 missing']);

  const sheet = readFileSync(first.document.reports?.corrections ?? '', 'utf8');
  installation.write('corrections.csv', sheet.replace('19.11.2026', '2026-11-19'));
  expect((await installation.recon('decide', '--file', 'corrections.csv')).code).toBe(0);
  const day = ['--from', '2026-11-19', '--to', '2026-11-19', '--as-of', '2026-11-20'];
  const rerun = await installation.json<RunOutcome>('rerun', ...day);
  expect([rerun.code, short(rerun.document)]).toEqual([0, ['2026-11-19 arrived a.csv']]);
});

test('every problem of the setting is reported together', async () => {
  const installation = await createInstallation();
  installation.write('holidays', '2026-12-25 # Christmas\n\n24.12.2026\n');
  installation.write(
    'recon.config.yaml',
    config(`
      - { days: sometimes, deadline: 7, sequence: '\\d+', holidays: [2026-02-30] }
      - { days: daily, deadline: '07:00', holidays: holidays, rows: { min: 3, max: 2 } }
      - { days: weekdays, deadline: '07:00', holidays: holidays }
      - { days: '0 0 1 * *', deadline: '24:00', holiday: TARGET2, sequence: '(' }`),
  );
  const { code, stderr } = await installation.recon('run');
  expect(code).toBe(2);
  const problems = stderr
    .split('\n')
    .filter((line) => line.includes('recon.config.yaml:'))
    .map((line) => line.replace(/^.*?sources\.0\.expected\./, ''));
  expect(problems).toEqual([
    "0.days: must be daily, weekdays, or a cron expression of 5 fields, such as '0 0 1 * *'",
    '0.deadline: must be a text; write it in quotes',
    "0.sequence: needs exactly one group for the running number, such as '_(\\d+)\\.csv$'",
    '0.holidays.0: must be a date such as 2026-12-25',
    '1.rows: min must not be greater than max',
    '2.holidays: line 3 of the file is not a date such as 2026-12-25',
    "3.deadline: must be a time from '00:00' to '23:59', in quotes",
    '3.holiday: there is no such setting (did you mean holidays?)',
    '3.sequence: is not a regular expression',
  ]);
});

test('the doctor reports a missing delivery, recon sources lists it, and a payment without settlement names it', async () => {
  const installation = await createInstallation();
  const today = '2026-11-19';
  stopClock(`${today}T12:00:00Z`);
  const [day, before] = [addDays(today, -6), addDays(today, -7)];
  installation.write('recon.config.yaml', config("{ days: daily, deadline: '00:00', timezone: UTC }"));
  const payments = [
    paymentRow(8, { Timestamp: `${before} 10:00:00+0000` }),
    paymentRow(9, { Timestamp: `${addDays(today, -40)} 10:00:00+0000` }),
  ];
  installation.write('payments.csv', paymentsFileOf(payments));
  await installation.recon('payments', 'import', 'payments.csv');
  deliver(installation, 'first.csv', [before], Date.now() - 120_000);
  expect((await installation.recon('run')).code).toBe(8);

  const messages = async () => {
    const { document } = await installation.json<{ code: string; message: string; paymentId: string }[]>(
      'discrepancies',
      '--code',
      'MISSING_SETTLEMENT',
    );
    return document.map(({ message }) => /(?: The delivery.*)?$/.exec(message)?.[0]);
  };
  const awaited = ` The delivery of bank for ${day} has not arrived and may contain it.`;
  expect(await messages()).toEqual([awaited, awaited]);

  const doctor = await installation.json<{
    checks: { subject: string; code: string | null; message: string }[];
  }>('doctor');
  expect(doctor.code).toBe(8);
  const check = doctor.document.checks.find(({ subject }) => subject === 'expected from bank');
  expect(check?.code).toBe('DELIVERY_MISSING');
  expect(check?.message).toContain(`bank ${day}: missing since ${addDays(day, 1)}T00:00Z`);

  const listed =
    await installation.json<{ name: string; lastFile: unknown; expected: unknown[] }[]>('sources');
  expect([listed.code, listed.document.map(({ name }) => name)]).toEqual([0, ['bank']]);
  expect(listed.document[0]?.lastFile).toMatchObject({ name: 'first.csv', status: 'loaded' });
  expect(listed.document[0]?.expected).toContainEqual(
    expect.objectContaining({ date: day, status: 'missing' }),
  );
  expect((await installation.recon('sources')).stdout).toContain(`bank ${day}: missing since`);

  // The delivery arrives without the payments: the message names the next one.
  deliver(installation, 'second.csv', [day], Date.now() - 120_000);
  await installation.recon('run');
  const next = ` The delivery of bank for ${addDays(day, 1)} has not arrived and may contain it.`;
  expect(await messages()).toEqual([next, next]);
});
