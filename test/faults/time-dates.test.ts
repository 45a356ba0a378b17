import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { recon } from '../cli/recon.js';
import {
  createInstallation,
  filesBelow,
  paymentId,
  paymentsFile,
  settlementFile,
  type Installation,
} from '../cli/installation.js';
import { runCli } from '../support/cli.js';

type Row = Readonly<Record<string, string>>;

function readReport(file: string | undefined): Row[] {
  return parse<Row>(readFileSync(file ?? ''), { delimiter: ';', columns: true, bom: true });
}

describe('F99 midnight', () => {
  // East and west of Greenwich: midnight in Berlin is the day before in UTC.
  test.each(['Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati'])(
    'a settlement date is the date of the file, on a machine and for a processor in %s',
    async (timezone) => {
      const installation = await createInstallation();
      installation.write('recon.config.yaml', `timezone: ${timezone}\n`);
      const dates = ['2026-03-28', '2026-03-29', '2026-10-25', '2026-12-31', '2027-01-01'];
      const times = ['00:00:00', '23:59:59', '23:59:59.999', '00:00:00.000'];
      const cells = dates.flatMap((date) =>
        times.map((time) => ({
          SettlementTxId: `${date} ${time}`,
          SettlementDate: date,
          TxRequestTime: `${date} ${time}`,
        })),
      );
      installation.write('in.csv', settlementFile(...cells));
      const env = { ...installation.environment, TZ: timezone };
      const { stdout } = await runCli(['run', '--file', 'in.csv', '--as-of', '2027-01-02', '--json'], {
        env,
        cwd: installation.directory,
      });
      const { reports } = JSON.parse(stdout) as RunOutcome;
      const reported = readReport(reports?.discrepancies).filter(({ Code }) => Code === 'NOT_MATCHED');
      expect(reported).toHaveLength(cells.length);
      for (const row of reported) expect(row['SettlementDate']).toBe(row['SettlementTxId']?.slice(0, 10));
      const reconciled = readReport(reports?.reconciled[0]);
      expect(reconciled.map((row) => [row['SettlementDate'], row['TxRequestTime']])).toEqual(
        cells.map((row) => [row.SettlementDate, row.TxRequestTime]),
      );
      const rows = await installation.database.database.sql<{ day: string; zoned: string; id: string }[]>`
        select settlement_date as day, settlement_tx_id as id,
          to_char(tx_request_time at time zone ${timezone}, 'YYYY-MM-DD') as zoned from settlement_records`;
      for (const { day, zoned, id } of rows) expect([day, zoned]).toEqual([id.slice(0, 10), id.slice(0, 10)]);
    },
  );

  test('a payment is due by the day that the clock of the configured zone showed', async () => {
    const installation = await createInstallation();
    installation.write(
      'recon.config.yaml',
      'timezone: Europe/Berlin\nsettlementDueDays: 5\nlookbackDays: 6\n',
    );
    const moments = [
      '2026-11-13 22:59:59+0000',
      '2026-11-13 23:00:00+0000',
      '2026-11-15 22:59:59+0000',
      '2026-11-15 23:00:00+0000',
    ];
    const [header = '', ...lines] = paymentsFile(1, 2, 3, 4).split('\n');
    const payments = lines.map((line, index) =>
      line.replace('2026-11-18 10:00:00+0000', moments[index] ?? ''),
    );
    installation.write('payments.csv', [header, ...payments].join('\n'));
    expect((await installation.recon('payments', 'import', 'payments.csv')).code).toBe(0);
    installation.write(
      'in.csv',
      settlementFile({ ReconciliationType: 'FEE', PaymentType: 'MONTHLY', Cashflow: 'NEG' }),
    );
    for (const TZ of ['UTC', 'Pacific/Pago_Pago']) {
      const { stdout } = await runCli(['run', '--file', 'in.csv', '--as-of', '2026-11-20', '--json'], {
        env: { ...installation.environment, TZ },
        cwd: installation.directory,
      });
      const { reports } = JSON.parse(stdout) as RunOutcome;
      const missing = readReport(reports?.discrepancies).filter(({ Code }) => Code === 'MISSING_SETTLEMENT');
      // The first was on the 13th in Berlin, a day too old; the last on the 16th, a day too young.
      expect(missing.map((row) => row['PaymentId'])).toEqual([paymentId(2), paymentId(3)]);
    }
  });
});

describe('F100 a range of days', () => {
  const days = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];
  const today = '2026-11-26';
  const asOf = ['--as-of', today];

  async function installationOfFourDays(): Promise<Installation> {
    const installation = await createInstallation();
    const cells = days.flatMap((date, index) => [
      { SettlementDate: date, SettlementTxId: `unmatched ${date}` },
      {
        SettlementDate: date,
        SettlementTxId: `less ${date}`,
        UniqueID: paymentId(index + 1),
        Amount: '90.00',
        SettlementAmount: '100.00',
      },
      { SettlementDate: date, Amount: 'much' },
    ]);
    installation.write('four-days.csv', settlementFile(...cells));
    installation.write(
      'one-day.csv',
      settlementFile({ SettlementDate: '2026-11-19', SettlementTxId: 'alone' }),
    );
    installation.write('payments.csv', paymentsFile(1, 2, 3, 4, 5));
    expect((await installation.recon('payments', 'import', 'payments.csv')).code).toBe(0);
    const run = await installation.recon('run', '--file', 'four-days.csv', '--file', 'one-day.csv', ...asOf);
    expect(run.code).toBe(1);
    return installation;
  }

  /** What a re-run said, its lines sorted. */
  interface Reported {
    readonly document: RunOutcome;
    readonly discrepancies: string[];
    readonly records: string[];
  }

  async function rerun(installation: Installation, from: string, to: string): Promise<Reported> {
    const { code, document } = await installation.json<RunOutcome>(
      'rerun',
      '--from',
      from,
      '--to',
      to,
      ...asOf,
    );
    expect(code).toBe(0);
    const { reports } = document;
    const discrepancies = readReport(reports?.discrepancies).map((row) => JSON.stringify(row));
    const records = (reports?.reconciled ?? [])
      .flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n').slice(1))
      .filter((line) => line !== '');
    return { document, discrepancies: discrepancies.sort(), records: records.sort() };
  }

  test('is the union of its days, however wide it is', async () => {
    const installation = await installationOfFourDays();
    const single: Reported[] = [];
    for (const day of days) single.push(await rerun(installation, day, day));
    // Nothing is due before it: the fifth payment is missing on the day on which it is due.
    const due = await rerun(installation, '2026-11-23', '2026-11-23');
    expect(due.discrepancies).toHaveLength(1);
    const union = (name: 'discrepancies' | 'records') => single.flatMap((day) => day[name]).sort();
    expect(single.map(({ discrepancies }) => discrepancies.length)).toEqual([3, 3, 4, 3]);

    const four = await rerun(installation, '2026-11-17', '2026-11-20');
    expect(four.discrepancies).toEqual(union('discrepancies'));
    expect(four.records).toEqual(union('records'));
    const halves = [
      await rerun(installation, '2026-11-17', '2026-11-18'),
      await rerun(installation, '2026-11-19', '2026-11-20'),
    ];
    expect(halves.flatMap(({ records }) => records).sort()).toEqual(four.records);
    const everything = await rerun(installation, '1900-01-01', '2099-12-31');
    expect(everything.discrepancies).toEqual([...union('discrepancies'), ...due.discrepancies].sort());
    expect(everything.records).toEqual(four.records);
  }, 120_000);

  test('in the future, long ago, or today without records is empty and no mistake', async () => {
    const installation = await installationOfFourDays();
    for (const [from, to] of [
      ['2098-01-01', '2099-12-31'],
      ['1900-01-01', '1900-01-01'],
      [today, today],
    ] as const) {
      const { document, discrepancies, records } = await rerun(installation, from, to);
      expect(document.exitCode).toBe(0);
      expect(records).toEqual([]);
      expect(discrepancies).toEqual([]);
    }
  });

  test('that is reversed or no range is refused before anything is opened', async () => {
    const installation = await createInstallation();
    for (const range of [
      ['--from', '2026-11-20', '--to', '2026-11-19'],
      ['--from', '2026-11-20'],
      ['--from', '2026-02-30', '--to', '2026-03-01'],
      ['--from', '0000-01-01', '--to', '2026-03-01'],
      ['--from', '2026-11-20', '--to', '99999-01-01'],
      ['--from', ' 2026-11-20', '--to', '2026-11-20'],
      ['--from', '٢٠٢٦-١١-٢٠', '--to', '2026-11-20'],
    ]) {
      const { code, stderr } = await recon(['rerun', ...range], { cwd: installation.directory });
      expect(code, stderr).toBe(2);
    }
    // Not even a database.
    expect(filesBelow(installation.directory)).toEqual({});
  });
});
