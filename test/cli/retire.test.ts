import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Retired } from '../../src/retention/retire-months.js';
import type { RunOutcome } from '../../src/outcome.js';
import { fencedTransactions, type Fence } from '../../src/db/fence.js';
import { itemDetail } from '../../src/review/review-api.js';
import { explainSettings } from '../matching/findings.js';
import { databaseForEachTest } from '../support/database.js';
import { demoFixtures, nights, prepareNight, type SettlementNight } from '../support/settlement-night.js';
import { chargeback, reversal } from './chargeback-rows.js';
import { createInstallation, paymentId, paymentsFile, settlementFile, type Cells } from './installation.js';
import { recon as runInProcess } from './recon.js';

/** Files of an old month, one of them large and with its own table, and a file of this month. */
const testDatabase = databaseForEachTest();
let night: SettlementNight;

beforeEach(async () => {
  night = prepareNight(testDatabase.url);
  expect((await night.importPayments()).code).toBe(0);
  expect((await night.runHere()).code).toBe(1);
  await testDatabase.database.sql`update record_parts set month = '2026-01-01'`;
  const today = path.join(night.directory, 'inbox', 'settlement-2026-11-17.csv');
  copyFileSync(path.join(demoFixtures, 'inbound', 'settlement-2026-11-17.csv'), today);
  expect((await recon('run', '--file', today, '--as-of', '2026-11-20')).code).toBe(1);
  for (const severity of ['error', 'warning', 'info']) {
    await recon('decide', '--severity', severity, '--accept', '--reason', 'as agreed');
  }
  // No day of the files is within the look-back any more.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * 86_400_000 });
});

afterEach(() => {
  vi.useRealTimers();
  night.end();
});

const inText = (...args: string[]) =>
  runInProcess(args, {
    cwd: night.directory,
    environment: { RECON_DATABASE_URL: testDatabase.url, RECON_DATA_DIR: path.join(night.directory, 'data') },
  });

const recon = async (...args: string[]) => {
  const ended = await inText(...args, '--json');
  return { ...ended, document: JSON.parse(ended.stdout) as Record<string, unknown> };
};

/** The fence token of the last run, which allowed it to write. */
const fenceOfNow = async () => {
  const [fence] = await testDatabase.database.sql<Fence[]>`
    select run_id as "runId", token from run_fence`;
  if (fence === undefined) throw new Error('run_fence has no row');
  return fencedTransactions(testDatabase.database, fence).transact;
};

const recordsIn = async (table: string) =>
  (
    await testDatabase.database.sql<
      { count: number }[]
    >`select count(*)::int as count from ${testDatabase.database.sql(table)}`
  )[0]?.count;

describe('recon retire', () => {
  test('detaches the records of whole months, and nothing is lost or reported twice', async () => {
    const all = await recordsIn('settlement_records');
    const preview = await recon('retire', '--before', '2026-02-01', '--dry-run');
    expect(await recordsIn('settlement_records')).toBe(all);
    const retired = await recon('retire', '--before', '2026-02-01');
    expect([preview.code, retired.code]).toEqual([0, 0]);
    expect(retired.document['parts']).toEqual(preview.document['parts']);
    expect(retired.document['parts']).toMatchObject([
      { month: '2026-01', files: 1, table: 'settlement_records_1' },
      { month: '2026-01', files: 1, table: 'settlement_records_10001' },
    ]);
    const aside = [await recordsIn('settlement_records_1'), await recordsIn('settlement_records_10001')];
    expect(aside.reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(
      (all ?? 0) - ((await recordsIn('settlement_records')) ?? 0),
    );
    expect(await recordsIn('settlement_records')).toBeGreaterThan(0);

    // Their files are still known; the remaining records are matched and reported as before.
    const next = await recon('run', '--as-of', '2026-11-20');
    expect(next.code).toBe(0);
    const files = await recon('files', '--status', 'retired');
    expect((files.document as unknown as { name: string }[]).map((file) => file.name).sort()).toEqual([
      ...nights,
    ]);
    const again = await recon('retire', '--before', '2026-02-01');
    expect(again.document['parts']).toEqual([]);
    expect((await inText('retire', '--before', '2026-02-01')).stdout).toBe(
      'Nothing to detach: no whole month of files before 2026-02-01 is stored.\nWhat was detached earlier: recon audit list --action records.retired\n',
    );
    const events = await recon('audit', 'list', '--action', 'records.retired');
    expect(events.document).toMatchObject([
      { subject: 'settlement_records_10001', details: { month: '2026-01', files: 1 } },
      { subject: 'settlement_records_1' },
    ]);
  });

  test('the comparison of two runs still names the files that were loaded between them', async () => {
    const compared = async () => (await recon('diff', '1', '2')).document['files'];
    const before = await compared();
    expect(before).toMatchObject([{ name: 'settlement-2026-11-17.csv' }]);
    await testDatabase.database.sql`update record_parts set month = '2026-01-01'`;
    const next = path.join(night.directory, 'next.csv');
    writeFileSync(next, settlementFile(900));
    await recon('run', '--file', next, '--as-of', '2026-11-20');
    const retired = await recon('retire', '--before', '2026-02-01');
    expect(retired.document['parts']).toHaveLength(3);
    expect(await compared()).toEqual(before);
  });

  test('an accept about a removed record stays: open again, the item would have no amount', async () => {
    const sql = testDatabase.database.sql;
    const [item] = await sql<{ id: string; place: string }[]>`
      select d.id, f.name || ':' || d.line as place from discrepancies d join settlement_files f on f.id = d.file_id
      join record_parts p on d.file_id >= p.first_file_id and d.file_id < p.end_file_id
      where p.month = '2026-01-01' and d.resolved_run is null order by d.id limit 1`;
    const id = item?.id ?? '';
    const undone = await recon('decide', id, '--undo');
    expect(undone.code).toBe(0);
    await recon('decide', id, '--accept', '--reason', 'as agreed');
    await recon('retire', '--before', '2026-02-01');
    const reason = expect.stringMatching(/^The records of \S+\.csv were removed by `recon retire`/) as string;
    const explained = await recon('explain', id.slice(0, 12));
    expect(explained.document['error']).toMatchObject({ code: 'RECORDS_RETIRED', message: reason });
    const named = await recon('decide', item?.place ?? '', '--unlink');
    expect(named.document['error']).toMatchObject({ code: 'ITEM_NOT_FOUND', message: reason });
    const view = { asOf: '2026-11-20', timezone: 'UTC' };
    const shown = await itemDetail({ sql, viewOf: () => view, explainSettings }, id);
    expect(shown).toMatchObject({ item: { status: 'ACCEPTED' }, explanation: reason });
    expect(shown.history.map(({ kind }) => kind)).toContain('accept');
    for (const decision of [['--undo'], ['--wait', '2099-12-31']]) {
      const refused = await recon('decide', id, ...decision);
      expect(refused.code).toBe(2);
      expect(refused.document['error']).toMatchObject({
        code: 'DECISION_REFUSED',
        message: expect.stringContaining('is about a record that was removed with its month') as string,
      });
    }
    expect((await recon('decide', id, '--note', 'checked')).code).toBe(0);
    // These open an accepted item too.
    await sql.begin(async (tx) => {
      await tx`select set_config('recon.fence', token::text, true) from run_fence`;
      await tx`update discrepancies set code = 'RECORD_REDELIVERED' where id = ${id}`;
    });
    for (const decision of ['--supersede', '--keep-both']) {
      const refused = await recon('decide', id, decision);
      expect(refused.document['error']).toMatchObject({ code: 'DECISION_REFUSED' });
    }
  });

  test.each<[story: string, args: string[]]>([
    ['a re-run of their days', ['rerun', '--from', '2026-11-18', '--to', '2026-11-19']],
    ['a report on their days', ['report', '--from', '2026-11-01', '--to', '2026-11-30']],
    ['a report on their run', ['report', '--run', '1']],
  ])('%s is refused, and the reports of those days are kept', async (_, args) => {
    await recon('retire', '--before', '2026-02-01');
    const refused = await recon(...args);
    expect(refused.code).toBe(2);
    expect(refused.document['error']).toMatchObject({ code: 'RECORDS_RETIRED' });
    expect((await recon('doctor', '--reports')).code).toBe(0);
  });

  test.each<[story: string, args: string[], message: RegExp]>([
    ['without a day', [], /needs --before/],
    ['with a day that does not exist', ['--before', '2026-02-30'], /must be an existing day/],
    [
      'for months that are still within the look-back',
      ['--before', '2099-11-01'],
      /--before can be 20\d\d-\d\d-\d\d at most/,
    ],
  ])('%s it is refused', async (_, args, message) => {
    const refused = await recon('retire', ...args);
    expect(refused.code).toBe(2);
    expect((refused.document['error'] as { message: string }).message).toMatch(message);
  });

  test('a run that was suspended meanwhile can no longer write', async () => {
    const transact = await fenceOfNow();
    await recon('retire', '--before', '2026-02-01');
    await expect(transact((tx) => tx`delete from record_matches`)).rejects.toMatchObject({
      code: 'RUN_REPLACED',
    });
  });

  test('a month with a file that the next run will load is kept', async () => {
    await (
      await fenceOfNow()
    )((tx) => tx`update settlement_files set status = 'received' where id = 1`);
    const { document } = await recon('retire', '--before', '2026-02-01');
    expect(document['parts']).toMatchObject([{ table: 'settlement_records_10001' }]);
  });

  test('a rejected file is retired with its month, and is not tried again', async () => {
    await (
      await fenceOfNow()
    )(
      (tx) => tx`
      insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
        finished_run_id, first_settlement_date, last_settlement_date)
      values (2, 'x', 'inbox', 'bad.csv', 1, 'rejected', '2026-01-02', 1, 1, '2026-01-02', '2026-01-02')`,
    );
    await recon('retire', '--before', '2026-02-01');
    const refused = await recon('rerun', '--from', '2026-01-02', '--to', '2026-01-02');
    expect([refused.code, refused.document['error']]).toMatchObject([2, { code: 'RECORDS_RETIRED' }]);
  });

  test('the month that is still being filled is kept', async () => {
    await testDatabase.database.sql`update record_parts set month = '2026-01-01'`;
    const { document } = await recon('retire', '--before', '2026-02-01');
    expect((document['parts'] as { table: string }[]).map((part) => part.table)).not.toContain(
      'settlement_records_10002',
    );
    expect(document['kept']).toMatchObject([
      { table: 'settlement_records_10002', reason: 'newest', openItems: 0 },
    ]);
    expect(await recordsIn('settlement_records')).toBeGreaterThan(0);
  });
});

describe('what is open', () => {
  test('keeps its month, with the money at risk, until it is decided', async () => {
    const installation = await createInstallation();
    expect(
      (
        await installation.recon(
          'payments',
          'import',
          installation.write('payments.csv', paymentsFile(1, 2, 3)),
        )
      ).code,
    ).toBe(0);
    const again = settlementFile({ UniqueID: paymentId(1), SettlementTxId: 'STL-1-again' });
    const months: readonly (readonly [string, string, string])[] = [
      // Settles the payment that the item of May is about.
      ['2030-01-15', 'january.csv', settlementFile(1)],
      ['2030-02-15', 'february.csv', settlementFile(98, 99)],
      ['2030-03-15', 'march.csv', settlementFile(2)],
      ['2030-05-15', 'may.csv', again],
      ['2030-06-15', 'june.csv', settlementFile(3)],
    ];
    for (const [date, name, text] of months) {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date(date) });
      await installation.recon('run', '--file', installation.write(name, text));
    }
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2031-01-10') });
    const atRisk = async () =>
      (await installation.json<Record<string, unknown>[]>('items')).document.map((item) => [
        item['code'],
        item['atRisk'],
        item['currency'],
        item['file'],
      ]);
    const before = await atRisk();
    expect(before).toHaveLength(3);
    const retire = ['retire', '--before', '2030-05-01'];
    const preview = await installation.json<Retired>(...retire, '--dry-run');
    const done = await installation.json<Retired>(...retire);
    expect({ ...done.document, dryRun: true }).toEqual(preview.document);
    expect(done.code).toBe(0);
    expect(done.document.parts.map(({ month }) => month)).toEqual(['2030-03']);
    expect(done.document.kept).toMatchObject([
      {
        month: '2030-01',
        files: 1,
        records: 1,
        reason: 'open-item',
        openItems: 1,
        items: [{ code: 'DUPLICATE_SETTLEMENT', status: 'OPEN', file: 'may.csv', line: 2 }],
      },
      {
        month: '2030-02',
        files: 1,
        records: 2,
        reason: 'open-item',
        openItems: 2,
        items: [
          { code: 'NOT_MATCHED', file: 'february.csv' },
          { code: 'NOT_MATCHED', file: 'february.csv' },
        ],
      },
    ]);
    // What is open still says how much money is at risk.
    expect(await atRisk()).toEqual(before);

    const shown = await installation.recon(...retire);
    expect(shown.stdout).toMatch(/^Nothing was detached\./);
    expect(shown.stdout).toMatch(/2030-01 +1 +1 +an item about it is open or waiting/);
    expect(shown.stdout).toMatch(
      /2030-02 is kept by 2 items:\n {2}[0-9a-f]{12} NOT_MATCHED february\.csv:\d\n/,
    );

    await installation.recon('decide', '--code', 'NOT_MATCHED', '--accept', '--reason', 'written off');
    const rest = await installation.json<Retired>(...retire);
    expect(rest.document.parts.map(({ month }) => month)).toEqual(['2030-02']);
    expect(rest.document.kept.map(({ month }) => month)).toEqual(['2030-01']);
    expect(await atRisk()).toEqual(before.filter(([code]) => code === 'DUPLICATE_SETTLEMENT'));
  });

  test('is named completely with --json, and by the first items in the text', async () => {
    const installation = await createInstallation();
    for (const [date, first] of [
      ['2030-01-15', 1],
      ['2030-02-15', 11],
      ['2030-03-15', 21],
    ] as const) {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date(date) });
      const settled = Array.from({ length: 7 }, (_, index) => first + index);
      await installation.recon(
        'run',
        '--file',
        installation.write(`${date}.csv`, settlementFile(...settled)),
      );
    }
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2031-01-10') });
    const retire = ['retire', '--before', '2030-03-01', '--dry-run'];
    const { document } = await installation.json<Retired>(...retire);
    const listed = await installation.json<{ discrepancyId: string; file: string }[]>('items');
    const idsOf = (file: string) =>
      listed.document.filter((item) => item.file === file).map(({ discrepancyId }) => discrepancyId);
    expect(
      document.kept.map(({ month, openItems, items }) => [
        month,
        openItems,
        items.map(({ discrepancyId }) => discrepancyId),
      ]),
    ).toEqual([
      ['2030-01', 7, idsOf('2030-01-15.csv')],
      ['2030-02', 7, idsOf('2030-02-15.csv')],
    ]);
    const { stdout } = await installation.recon(...retire);
    expect(stdout.match(/NOT_MATCHED/g)).toHaveLength(10);
    expect(stdout).toMatch(/\n {2}and 2 more\n2030-02 is kept/);
    expect(stdout).toMatch(/\nWith --json, the command names all of them\.\n/);
  });
});

describe('a chargeback whose record was detached', () => {
  const failed = { ...chargeback, SettlementStatus: 'FAILED' };

  /** One year after these rows: what a run of a file says, with the open items and the bookings of the payment. */
  const yearAfter = async (...rows: readonly Cells[]) => {
    const installation = await createInstallation();
    await installation.recon('payments', 'import', installation.write('payments.csv', paymentsFile(1, 2)));
    let report = '';
    const run = async (date: string, name: string, text: string) => {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date(date) });
      const { code, document } = await installation.json<RunOutcome>(
        'run',
        '--file',
        installation.write(name, text),
      );
      report = document.reports?.chargebacks ?? '';
      const items = await installation.json<{ code: string; file: string }[]>('items');
      const bookings = await installation.json<{ status: string; amount: string }[]>('chargebacks', 'list');
      return {
        code,
        chargebacks: document.chargebacks,
        items: items.document.map((item) => `${item.code} ${item.file}`),
        bookings: bookings.document.map(({ status, amount }) => `${status} ${amount}`),
      };
    };
    await run('2030-01-15', 'january.csv', settlementFile(1, ...rows));
    await run('2030-06-15', 'june.csv', settlementFile(2));
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2031-01-10') });
    await installation.recon('decide', '--code', 'SETTLEMENT_FAILED', '--accept', '--reason', 'as agreed');
    expect(
      (await installation.json<Retired>('retire', '--before', '2030-05-01')).document.parts,
    ).toHaveLength(1);
    return {
      command: (...args: string[]) => installation.recon(...args),
      /** What `chargebacks.csv` of the last run says, without the ids of chargebacks and payments. */
      reported: () =>
        readFileSync(report, 'utf8')
          .split('\r\n')
          .slice(1, -1)
          .map((row) => row.replaceAll(/"[0-9a-f]{32}";/g, '')),
      late: (name: string, ...later: readonly Cells[]) => run('2031-01-11', name, settlementFile(...later)),
    };
  };

  test('is reversed by a record that comes afterwards', async () => {
    const { late } = await yearAfter(chargeback);
    expect(await late('late.csv', reversal)).toEqual({
      code: 0,
      chargebacks: { assigned: 0, reversed: 1 },
      items: [],
      bookings: ['reversed 100.00'],
    });
    const second = await late('second.csv', { ...reversal, SettlementTxId: 'CR-2' });
    expect(second.items).toEqual(['REVERSAL_WITHOUT_CHARGEBACK second.csv']);
  });

  test('is in the report of its reversal, with what its booking has', async () => {
    const { late, reported } = await yearAfter(chargeback, { ...failed, SettlementTxId: 'CB-2' });
    await late('late.csv', { ...reversal, SettlementDate: '2031-01-09', Amount: '40.00' });
    const open = '"000.100.220";;2026-11-19;;2031-01-09;"january.csv";3;40.00;"EUR"';
    expect(reported()).toEqual([`"REVERSED";100.00;"EUR";${open}`]);
    // The reversal of the one that FAILED.
    await late('second.csv', { ...reversal, SettlementTxId: 'CR-2' });
    expect(reported()).toEqual([
      expect.stringMatching(/^"REVERSED";100\.00;.*"january\.csv";4;100\.00;"EUR"$/),
    ]);
  });

  test('counts in the sum of the chargebacks of its payment', async () => {
    const { late } = await yearAfter(chargeback);
    expect((await late('late.csv', { ...chargeback, SettlementTxId: 'CB-2' })).items).toEqual([
      'CHARGEBACK_EXCEEDS_PAYMENT late.csv',
    ]);
    expect((await late('reversal.csv', reversal)).items).toEqual([]);
  });

  test('is still known as failed, and its accepted item stays, when other records of its payment arrive', async () => {
    const { command, late } = await yearAfter(failed);
    await late('repeat.csv', { ...chargeback, SettlementTxId: 'CB-2' });
    expect(await late('reversal.csv', reversal)).toMatchObject({
      items: [],
      bookings: ['reversed 100.00', 'failed 100.00'],
    });
    expect((await command('items', '--status', 'ACCEPTED', '--csv')).stdout).toMatch(
      /"SETTLEMENT_FAILED".*"january\.csv"/,
    );
  });

  test('is not booked again, nor is its reversal, when another file brings them again', async () => {
    const { command, late } = await yearAfter(chargeback, reversal);
    const bookings = ['reversed 100.00'];
    expect(await late('reversal.csv', reversal)).toEqual({
      code: 0,
      chargebacks: { assigned: 0, reversed: 1 },
      items: [],
      bookings,
    });
    expect(await late('chargeback.csv', chargeback)).toEqual({
      code: 0,
      chargebacks: { assigned: 1, reversed: 0 },
      items: [],
      bookings,
    });
    // From now on, the record is there again.
    await command('decide', 'chargeback.csv:2', '--unlink', '--reason', 'another payment');
    const { items, bookings: unlinked } = await late('next.csv', {
      UniqueID: paymentId(2),
      SettlementTxId: 'X',
    });
    expect(items).toContain('REVERSAL_WITHOUT_CHARGEBACK reversal.csv');
    expect(unlinked).toEqual(['withdrawn 0.00']);
  });
});
