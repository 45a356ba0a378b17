import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Interrupted } from '../../src/cli/interrupted.js';
import { archivePath } from '../support/archive.js';
import { fencedTransactions } from '../../src/db/fence.js';
import type { RunOutcome } from '../../src/outcome.js';
import type { Retired } from '../../src/retention/retire-months.js';
import type { Purged } from '../../src/retention/purge.js';
import {
  createInstallation,
  paymentId,
  paymentsFile,
  settlementFile,
  type Installation,
} from './installation.js';
import { recon } from './recon.js';
import { dateInZone } from '../../src/values/calendar-date.js';
import { createPaymentCore } from '../../src/payment-core/index.js';
import { card, encryptionKeys } from '../payment-core/support/test-core.js';

/** `recon purge` removes what is old by the settings of `retention`, and never what is open or waiting (design 11). */

const day = 86_400_000;

/** From here on, the program's clock is ahead by this many days. */
function later(days: number): void {
  vi.useRealTimers();
  setClock(Date.now() + days * day);
}

function setClock(now: number | string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
}

afterEach(() => {
  vi.useRealTimers();
});

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

async function install(retention: string, timezone = 'UTC'): Promise<Installation> {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', `timezone: ${timezone}\nretention: { ${retention} }\n`);
  const payments = installation.write('payments.csv', paymentsFile(1, 2, 3, 4));
  expect((await installation.recon('payments', 'import', payments)).code).toBe(0);
  return installation;
}

/** Runs with the text as a file. */
async function take(installation: Installation, name: string, text: string): Promise<RunOutcome> {
  const { document } = await installation.json<RunOutcome>('run', '--file', installation.write(name, text));
  expect(document.error).toBeNull();
  return document;
}

async function purge(installation: Installation, ...args: string[]) {
  const { code, document, stdout } = await installation.json<Purged>('purge', ...args);
  expect(code, stdout).toBe(0);
  const kind = (name: string) => document.kinds.find((each) => each.kind === name);
  const removed = (name: string) => kind(name)?.removed.count;
  const kept = (name: string) => kind(name)?.kept.map(({ reason, count }) => `${count} ${reason}`);
  return { document, kind, removed, kept };
}

const isArchived = ({ dataDirectory }: Installation, bytes: string | Buffer) =>
  existsSync(archivePath(dataDirectory, sha256(bytes)));

const reportsOf = ({ dataDirectory }: Installation) =>
  readdirSync(path.join(dataDirectory, 'reports')).sort();

const matched = settlementFile(1, 2);
/** Of no payment: its records are open items. */
const unmatched = settlementFile(98, 99);
const fresh = settlementFile(3);

describe('archive and reports', () => {
  test('what is old goes, what is open or the newest stays, and the dry run says so before', async () => {
    const installation = await install('archiveDays: 100, reportsDays: 100');
    await take(installation, 'matched.csv', matched);
    await take(installation, 'unmatched.csv', unmatched);
    const refused = Buffer.from('refused, and without a row');
    await take(installation, 'fresh.csv', fresh);
    const unknown = archivePath(installation.dataDirectory, sha256(fresh)).replace(
      sha256(fresh),
      sha256(refused),
    );
    writeFileSync(unknown, refused);
    later(99);
    expect((await purge(installation, '--dry-run')).removed('archive')).toBe(0);

    later(101);
    await take(installation, 'today.csv', settlementFile(4));
    const preview = await purge(installation, '--dry-run');
    expect([preview.removed('archive'), preview.kept('archive')]).toEqual([3, ['1 open-item']]);
    expect([preview.removed('reports'), preview.kept('reports')]).toEqual([3, []]);
    expect(preview.kind('archive')?.removed.bytes).toBe(matched.length + fresh.length + refused.length);
    expect(isArchived(installation, matched)).toBe(true);

    const done = await purge(installation);
    expect({ ...done.document, dryRun: true }).toEqual(preview.document);
    const there = [matched, fresh, unmatched].map((text) => isArchived(installation, text));
    expect([...there, existsSync(unknown)]).toEqual([false, false, true, false]);
    expect(reportsOf(installation)).toEqual(['run-000004']);
    expect((await purge(installation)).document.kinds.map(({ removed }) => removed.count)).toEqual([
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]);

    // The log has it once, the doctor misses nothing, and the files stay known.
    const events = await installation.json<unknown[]>('audit', 'list', '--action', 'retention.applied');
    expect(events.document).toMatchObject([
      { subject: 'retention', details: { archive: { count: 3 }, reports: { count: 3 } } },
    ]);
    const doctor = await installation.recon('doctor', '--reports');
    expect(doctor.stdout).toContain('archive: 2 files, all unchanged by SHA-256; 2 removed by retention');
    expect(doctor.stdout).not.toMatch(/WRONG {2}(?:archive|reports)/);
    expect((await take(installation, 'again.csv', matched)).files).toMatchObject([{ status: 'duplicate' }]);
  });

  test('a re-run and a report of removed days are refused, until the file is given again', async () => {
    // In one of these time zones, the day is another one than in UTC at any hour.
    const timezone = new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Etc/GMT-14';
    const installation = await install('archiveDays: 100', timezone);
    const { reports } = await take(installation, 'matched.csv', matched);
    const before = await installation.recon('explain', 'matched.csv:2');
    later(101);
    await purge(installation);
    const { document: listed } = await installation.json<Record<string, unknown>[]>('files');
    expect(listed).toMatchObject([{ name: 'matched.csv', status: 'loaded' }]);
    const removedAt = Date.parse(String(listed[0]?.['archiveRemovedAt']));
    const removed = `were removed from the archive on ${dateInZone(removedAt, timezone)}, by the settings of retention.`;
    expect((await installation.recon('archive', 'read', 'matched.csv')).stderr).toContain(removed);
    expect((await installation.recon('explain', 'matched.csv:2')).stdout).toBe(before.stdout);
    const rerun = ['rerun', '--from', '2026-11-01', '--to', '2026-12-31'];
    for (const args of [
      ['report', '--run', '1'],
      ['report', '--from', '2026-11-01', '--to', '2026-12-31'],
      rerun,
      [...rerun, '--dry-run'],
    ]) {
      const refused = await installation.json<{ error: { code: string; message: string } }>(...args);
      expect([refused.code, refused.document.error.code]).toEqual([2, 'ARCHIVE_REMOVED']);
      expect(refused.document.error.message).toMatch(/^The bytes of matched\.csv \(SHA-256 [0-9a-f]{8}\) /);
      expect(refused.document.error.message).toContain(removed);
    }
    expect(existsSync(reports?.manifest ?? '')).toBe(true);

    await take(installation, 'matched.csv', matched);
    // The clock of the file system is not ahead, and some file systems round its times down to two seconds.
    const rounded = new Date(Math.floor(Date.now() / 2_000) * 2_000);
    utimesSync(archivePath(installation.dataDirectory, sha256(matched)), rounded, rounded);
    const again = await installation.json<RunOutcome>(...rerun);
    expect([again.code, again.document.matching.MATCHED]).toEqual([0, 2]);
    expect((await purge(installation)).removed('archive')).toBe(0);
    expect((await installation.recon('doctor')).stdout).not.toContain('WRONG  archive');
  });

  test('bytes that came back stay as long as an item about them is open, and go later', async () => {
    const installation = await install('archiveDays: 100');
    await take(installation, 'matched.csv', matched);
    later(101);
    expect((await purge(installation)).removed('archive')).toBe(1);
    const removedAt = async () => {
      const { document } = await installation.json<{ name: string; archiveRemovedAt: string }[]>('files');
      return document.find(({ name }) => name === 'matched.csv')?.archiveRemovedAt ?? '';
    };
    const first = await removedAt();
    await take(installation, 'matched.csv', matched);
    const now = new Date();
    utimesSync(archivePath(installation.dataDirectory, sha256(matched)), now, now);
    const [row = ''] = paymentsFile(1).split('\n').slice(1);
    const other = installation.write(
      'other.csv',
      paymentsFile(1).replace(row, row.replace('100.00', '90.00')),
    );
    expect((await installation.recon('payments', 'import', other, '--allow-changes')).code).toBe(0);
    const rerun = await installation.json<RunOutcome>('rerun', '--from', '2026-11-01', '--to', '2026-12-31');
    expect(rerun.document.discrepancies.byCode).toMatchObject({ AMOUNT_MISMATCH: 1 });

    later(202);
    const kept = await purge(installation);
    expect([kept.removed('archive'), kept.kept('archive')]).toEqual([0, ['1 open-item']]);
    expect([isArchived(installation, matched), await removedAt()]).toEqual([true, first]);
    await installation.recon('decide', '--code', 'AMOUNT_MISMATCH', '--accept', '--reason', 'agreed');
    expect((await purge(installation)).removed('archive')).toBe(1);
    expect(isArchived(installation, matched)).toBe(false);
    expect((await removedAt()) > first).toBe(true);
  });

  test('what an interrupted purge left goes with the next one, however young the files are on the disk', async () => {
    const installation = await install('archiveDays: 100, reportsDays: 100');
    const { reports } = await take(installation, 'matched.csv', matched);
    await take(installation, 'fresh.csv', fresh);
    later(101);
    await take(installation, 'today.csv', settlementFile(4));
    const bytes = archivePath(installation.dataDirectory, sha256(matched));
    const folder = path.dirname(reports?.manifest ?? '');
    const kept = path.join(installation.directory, 'kept');
    // As `recon archive encrypt` and `recon report` left them, or a backup that was restored.
    const yesterday = new Date(Date.now() - day);
    for (const file of [bytes, reports?.manifest ?? '']) utimesSync(file, yesterday, yesterday);
    const copies = [bytes, folder].map((from, index) => [from, path.join(kept, String(index))] as const);
    for (const [from, to] of copies) cpSync(from, to, { recursive: true, preserveTimestamps: true });
    await purge(installation);
    expect(isArchived(installation, matched)).toBe(false);

    for (const [from, to] of copies) cpSync(to, from, { recursive: true, preserveTimestamps: true });
    const next = await purge(installation);
    expect([next.removed('archive'), next.removed('reports')]).toEqual([1, 1]);
    expect([isArchived(installation, matched), existsSync(folder)]).toEqual([false, false]);
  });

  test('a packed file goes with the last settlement file inside it, and bytes of two files with the last of them', async () => {
    const installation = await install('archiveDays: 100');
    const packed = gzipSync(matched);
    const file = path.join(installation.directory, 'matched.csv.gz');
    writeFileSync(file, packed);
    utimesSync(file, new Date(Date.now() - day), new Date(Date.now() - day));
    expect((await installation.recon('run', '--file', file)).code).toBe(0);
    const openPacked = gzipSync(unmatched);
    const open = path.join(installation.directory, 'open.csv.gz');
    writeFileSync(open, openPacked);
    utimesSync(open, new Date(Date.now() - day), new Date(Date.now() - day));
    expect((await installation.recon('run', '--file', open)).code).toBe(0);
    later(101);
    const done = await purge(installation);
    expect([done.removed('archive'), done.kept('archive')]).toEqual([2, ['1 open-item']]);
    const there = [packed, matched, openPacked, unmatched].map((bytes) => isArchived(installation, bytes));
    expect(there).toEqual([false, false, true, true]);
    expect((await installation.recon('doctor')).stdout).toContain('archive: 2 files, all there in full size');
  });

  test('totals that two files share go with the last of the two, and the reports of a range by their age', async () => {
    const installation = await install('archiveDays: 100, reportsDays: 100');
    const totals = 'Records;2\nEUR;200.00\n';
    for (const [name, text] of Object.entries({ 'matched.csv': matched, 'unmatched.csv': unmatched })) {
      installation.write(`${name}.totals`, totals);
      await take(installation, name, text);
    }
    const range = ['--from', '2026-11-01', '--to', '2026-11-30'];
    expect((await installation.recon('report', ...range)).code).toBe(0);
    mkdirSync(path.join(installation.dataDirectory, 'reports', 'kept by a person'));
    later(101);
    const done = await purge(installation);
    expect([matched, unmatched, totals].map((text) => isArchived(installation, text))).toEqual([
      false,
      true,
      true,
    ]);
    expect([done.removed('reports'), reportsOf(installation)]).toEqual([
      2,
      ['kept by a person', 'run-000002'],
    ]);
    await installation.recon('decide', '--code', 'NOT_MATCHED', '--accept', '--reason', 'written off');
    expect((await purge(installation)).removed('archive')).toBe(2);
    expect([unmatched, totals].map((text) => isArchived(installation, text))).toEqual([false, false]);
  });

  test('what a run still has to do with a file keeps it, and so does an item about its payment', async () => {
    const installation = await install('archiveDays: 100');
    const { sql } = installation.database.database;
    // The payment of 1 and 2 is settled twice: the item is about the later record.
    const texts = Object.fromEntries(
      [
        ['first.csv', settlementFile(1)],
        ['second.csv', settlementFile({ UniqueID: paymentId(1), SettlementTxId: 'STL-1-again' })],
        ['received.csv', settlementFile(2)],
        ['dead-run.csv', settlementFile(3)],
        ['withdrawn.csv', settlementFile(4)],
        ['done.csv', settlementFile({ ReconciliationType: 'FEE', PaymentType: 'MONTHLY', UniqueID: '' })],
      ].map(([name = '', text = '']) => [installation.write(name, text), text]),
    );
    const run = ['run', ...Object.keys(texts).flatMap((file) => ['--file', file])];
    expect((await installation.recon(...run)).code).toBe(0);
    expect((await installation.recon('files', 'withdraw', 'withdrawn.csv', '--reason', 'a test')).code).toBe(
      0,
    );
    // As a crash leaves them; test/faults/crash.test.ts kills runs for real.
    await sql.begin(async (tx) => {
      await tx`alter table settlement_files disable trigger user`;
      await tx`update settlement_files set status = 'received' where name = 'received.csv'`;
      await tx`insert into runs (id, kind, status, fence_token, as_of, started_at, heartbeat_at, host, process_id)
        values (2, 'run', 'abandoned', 0, '2026-11-20', now(), now(), 'x', 1)`;
      await tx`update settlement_files set finished_run_id = 2 where name = 'dead-run.csv'`;
      await tx`alter table settlement_files enable trigger user`;
    });
    later(101);
    const { removed, kept } = await purge(installation);
    expect([removed('archive'), kept('archive')]).toEqual([1, ['3 waiting', '2 open-item']]);
    const gone = Object.entries(texts).filter(([, text]) => !isArchived(installation, text));
    expect(gone.map(([file]) => path.basename(file))).toEqual(['done.csv']);
  });

  test('nothing goes without a policy, within the look-back, or while a run is active', async () => {
    const installation = await install('archiveDays: 1, reportsDays: 1');
    await take(installation, 'matched.csv', matched);
    await take(installation, 'fresh.csv', fresh);
    later(64);
    const done = await purge(installation);
    expect([done.removed('archive'), done.kept('archive')]).toEqual([0, ['2 look-back']]);
    expect([done.removed('reports'), done.kept('reports')]).toEqual([0, ['1 newest', '1 look-back']]);
    expect(done.document.kinds.find(({ kind }) => kind === 'audit')).toMatchObject({ before: null });

    later(400);
    const session = installation.database.database.openSession(() => undefined);
    await session`select pg_advisory_lock(7236501188)`;
    const refused = await installation.json<{ error: { code: string } }>('purge');
    expect([refused.code, refused.document.error.code]).toEqual([3, 'RUN_ACTIVE']);
    await session.end();
    expect(isArchived(installation, matched)).toBe(true);

    const { directory: cwd, environment } = installation;
    const stopped = await recon(['purge'], { cwd, environment, signal: AbortSignal.abort() });
    expect([stopped.code, stopped.stderr]).toEqual([
      130,
      expect.stringContaining('The purge was interrupted'),
    ]);
    await purge(installation);
    expect([isArchived(installation, matched), reportsOf(installation)]).toEqual([false, ['run-000002']]);

    installation.write('recon.config.yaml', '');
    expect((await installation.recon('purge')).stdout).toContain('Nothing is ever removed');
    const future = await installation.recon('purge', '--as-of', '2099-01-01');
    expect([future.code, future.stderr]).toEqual([2, expect.stringContaining('add --dry-run')]);
  });
});

describe('records', () => {
  test('whole months go, unless an item is open, a later file refers to them, or they are the newest', async () => {
    const installation = await install('recordsMonths: 3');
    const { sql } = installation.database.database;
    const months: readonly (readonly [string, string, string])[] = [
      ['2030-01-15', 'january.csv', settlementFile(1)],
      ['2030-02-15', 'february.csv', unmatched],
      ['2030-03-15', 'march.csv', settlementFile(2)],
      // Brings the record of March again.
      ['2030-05-15', 'may.csv', settlementFile(2, 3)],
    ];
    for (const [date, name, text] of months) {
      setClock(date);
      await take(installation, name, text);
    }
    const tables = async () =>
      (
        await sql<{ name: string }[]>`select relname as name from pg_class
        where relname ~ '^settlement_records_[0-9]+$' order by relname`
      ).map(({ name }) => name);
    // As if the files were large.
    await sql.begin(async (tx) => {
      await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
      await tx`insert into row_places select id, 2, '{2}', '{512}' from settlement_files`;
    });
    setClock('2030-08-10');
    const preview = await purge(installation, '--dry-run');
    expect([preview.kind('records')?.before, preview.removed('records'), preview.kept('records')]).toEqual([
      '2030-05-01',
      1,
      ['2 open-item', '1 in-use'],
    ]);
    const before = await tables();
    const done = await purge(installation);
    expect({ ...done.document, dryRun: true }).toEqual(preview.document);
    const after = await tables();
    expect([before.length - after.length, after.every((name) => before.includes(name))]).toEqual([1, true]);
    const places = await sql<{ name: string }[]>`
      select f.name from row_places p join settlement_files f on f.id = p.file_id order by f.id`;
    expect(places.map(({ name }) => name)).toEqual(['february.csv', 'march.csv', 'may.csv']);
    const { document: files } = await installation.json<{ name: string; status: string }[]>('files');
    expect(files.map(({ name, status }) => [name, status])).toEqual([
      ['may.csv', 'loaded'],
      ['march.csv', 'loaded'],
      ['february.csv', 'loaded'],
      ['january.csv', 'retired'],
    ]);
    const rerun = await installation.json<{ error: { code: string } }>('report', '--run', '1');
    expect([rerun.code, rerun.document.error.code]).toEqual([2, 'RECORDS_RETIRED']);
    const explained = await installation.json<{ error: { code: string } }>('explain', 'january.csv:2');
    expect([explained.code, explained.document.error.code]).toEqual([2, 'RECORDS_RETIRED']);
    expect((await take(installation, 'january.csv', settlementFile(1))).files).toMatchObject([
      { status: 'duplicate' },
    ]);

    // Nor is a report made of a file that brought records of a removed month again.
    expect((await installation.recon('retire', '--before', '2030-04-01')).code).toBe(0);
    const known = await installation.json<{ error: { code: string; message: string } }>(
      'report',
      '--run',
      '4',
    );
    expect([known.code, known.document.error.code]).toEqual([2, 'RECORDS_RETIRED']);
    expect(known.document.error.message).toContain('march.csv, which may.csv brought again');

    // The newest month stays, however old, and so does the one with the open items.
    setClock('2031-01-10');
    expect((await purge(installation)).kept('records')).toEqual(['2 open-item', '1 newest']);
    expect((await installation.recon('doctor')).stdout).toContain('schema: complete');
  });
});

describe('payments whose records are gone', () => {
  test.each(['purge', 'retire'])(
    'are not missing a settlement after a %s, however far back is looked',
    async (how) => {
      const retention = 'retention: { recordsMonths: 3 }';
      const installation = await install('recordsMonths: 3');
      const settled = { SettlementDate: '2030-01-14', UniqueID: paymentId(1), SettlementTxId: 'STL-1' };
      // The payments are of 2026-11-18. Nobody settled 3 and 4.
      for (const [date, name, text] of [
        ['2030-01-15', 'january.csv', settlementFile(settled)],
        [
          '2030-08-01',
          'august.csv',
          settlementFile({ ...settled, UniqueID: paymentId(2), SettlementTxId: 'STL-2' }),
        ],
      ] as const) {
        setClock(date);
        await take(installation, name, text);
      }
      setClock('2030-08-10');
      if (how === 'purge') expect((await purge(installation)).removed('records')).toBe(1);
      else expect((await installation.recon('retire', '--before', '2030-05-01')).code).toBe(0);
      const missing = async (...command: string[]) => {
        const { document } = await installation.json<RunOutcome>(...command);
        expect(document.error).toBeNull();
        return document.discrepancies.byCode['MISSING_SETTLEMENT'];
      };
      // Two days on which payments were due, and no records.
      expect(await missing('rerun', '--from', '2026-11-23', '--to', '2026-11-24')).toBe(2);
      installation.write('recon.config.yaml', `lookbackDays: 3000\n${retention}\n`);
      const { document } = await installation.json<{ paymentId: string | null }[]>('discrepancies');
      expect(document.map((each) => each.paymentId).sort()).toEqual([paymentId(3), paymentId(4)]);
      const later = settlementFile({ ...settled, SettlementTxId: 'STL-3' });
      const { discrepancies } = await take(installation, 'later.csv', later);
      expect(discrepancies.byCode).toEqual({ DUPLICATE_SETTLEMENT: 1, MISSING_SETTLEMENT: 2 });
    },
  );

  test('are closed where an earlier release called them missing, and stay where they were accepted before', async () => {
    const installation = await install('recordsMonths: 3');
    const { sql } = installation.database.database;
    const january = { SettlementDate: '2030-01-14', SettlementTxId: 'STL-1' };
    const missing = async (status?: string) => {
      const { document } = await installation.json<{ paymentId: string }[]>(
        ...['items', '--code', 'MISSING_SETTLEMENT', ...(status === undefined ? [] : ['--status', status])],
      );
      return document.map((each) => each.paymentId).sort();
    };
    setClock('2026-11-24');
    await take(installation, 'early.csv', settlementFile(3));
    setClock('2030-01-15');
    await take(
      installation,
      'january.csv',
      settlementFile(
        { ...january, UniqueID: paymentId(1) },
        { ...january, UniqueID: paymentId(2), ReconciliationType: 'CHARGEBACK', Cashflow: 'NEG' },
      ),
    );
    await installation.recon('rerun', '--from', '2026-11-23', '--to', '2026-11-24');
    expect(await missing()).toEqual([paymentId(2), paymentId(4)]);
    expect(
      (await installation.recon('decide', '--accept', '--status', 'OPEN', '--reason', 'known')).code,
    ).toBe(0);
    expect(await missing('ACCEPTED')).toEqual([paymentId(2), paymentId(4)]);
    setClock('2030-08-01');
    await take(installation, 'august.csv', settlementFile({ ...january, UniqueID: paymentId(4) }));
    const { document: retired } = await installation.json<Retired>('retire', '--before', '2030-05-01');
    expect(retired.parts.map(({ month }) => month)).toEqual(['2026-11', '2030-01']);

    // As a release stored it that did not know of removed records.
    await sql.begin(async (tx) => {
      await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
      await tx`insert into discrepancies (id, code, severity, payment_key, expected, actual, difference_minor,
          message, first_seen_run)
        select md5('missing ' || id), 'MISSING_SETTLEMENT', 'error', key, '100.00', '0.00', -10000, 'missing', 3
        from payments where id = ${paymentId(1)}`;
    });
    expect(await missing()).toEqual([paymentId(1)]);
    expect((await installation.recon('rerun', '--from', '2026-11-23', '--to', '2026-11-24')).code).toBe(0);
    expect(await missing()).toEqual([]);
    expect(await missing('ACCEPTED')).toEqual([paymentId(2)]);
  });
});

test('a rejected file that comes again without its removed totals is not loaded, and ends no run', async () => {
  const installation = await install('archiveDays: 100');
  const differs = settlementFile(1, 2);
  const invalid = settlementFile({ Amount: '1,00', SettlementDate: '2026-11-19' });
  const totals = 'Records;9\n';
  installation.write('a.csv.totals', totals);
  installation.write('b.csv.totals', totals);
  await take(installation, 'a.csv', differs);
  await take(installation, 'b.csv', invalid);
  later(300);
  await purge(installation);
  expect([differs, invalid, totals].map((bytes) => isArchived(installation, bytes))).toEqual([
    false,
    false,
    false,
  ]);
  const rerun = () => installation.json<RunOutcome>('rerun', '--from', '2026-11-01', '--to', '2026-11-30');

  for (const name of ['a.csv.totals', 'b.csv.totals']) rmSync(path.join(installation.directory, name));
  const [without] = (await take(installation, 'a.csv', differs)).files;
  expect([without?.status, without?.error?.code]).toEqual(['failed', 'FILE_TOTALS_MISSING']);
  expect((await take(installation, 'b.csv', invalid)).files[0]?.status).toBe('duplicate');
  const left = await rerun();
  expect([left.code, left.document.files]).toEqual([0, []]);
  expect(left.stderr).toMatch(/cannot be tried again: its bytes, or its announced totals, were removed/);

  installation.write('a.csv.totals', totals);
  const [compared] = (await take(installation, 'a.csv', differs)).files;
  expect([compared?.status, compared?.error?.code]).toEqual(['rejected', 'FILE_TOTALS_DIFFER']);
  const tried = await rerun();
  expect([tried.code, tried.document.files.map(({ name, status }) => `${name} ${status}`)]).toEqual([
    1,
    ['a.csv rejected', 'b.csv rejected'],
  ]);
});

describe('rejected rows', () => {
  const broken = settlementFile(1, { UniqueID: '', Amount: 'x' });

  test('the rows of old files go, a correction that no run entered keeps them, and a re-run says what it lacks', async () => {
    const installation = await install('rejectedRowsDays: 100');
    const file = installation.write('broken.csv', broken);
    expect((await installation.recon('run', '--file', file)).code).toBe(1);
    expect(
      (
        await installation.recon(
          'run',
          '--file',
          installation.write('other.csv', settlementFile(2, { Amount: 'y' })),
        )
      ).code,
    ).toBe(1);
    const { sql } = installation.database.database;
    // As `recon decide --file corrections.csv` stores it; no run has entered it.
    await sql`insert into row_corrections (file_id, line, cells, settlement_date, author, decided_on, decided_at,
        sheet_name, sheet_sha256, sheet_line)
      select file_id, line, '[]', '2026-11-19', 'anna', '2026-11-20', now(), 'corrections.csv', 'x', 2
      from rejected_rows join settlement_files f on f.id = file_id where f.name = 'other.csv'`;
    later(101);
    const done = await purge(installation);
    expect([done.removed('rejectedRows'), done.kept('rejectedRows')]).toEqual([1, ['1 waiting']]);
    const [left] = await sql`select count(*)::integer as count from rejected_rows`;
    expect(left).toEqual({ count: 1 });
    const report = await installation.json<RunOutcome>('report', '--run', '1');
    expect([report.code, report.document.notices]).toEqual([
      0,
      [expect.stringMatching(/^1 rejected row of broken\.csv was removed/)],
    ]);
  });
});

describe('the audit log', () => {
  test('is cut by a checkpoint, and the rest is proved', async () => {
    const installation = await install('auditDays: 100');
    const first = await take(installation, 'matched.csv', matched);
    await take(installation, 'fresh.csv', fresh);
    const all = await installation.json<{ number: string }[]>('audit', 'list');
    later(101);
    const done = await purge(installation);
    expect([done.removed('audit'), done.kept('audit')]).toEqual([all.document.length - 1, ['1 newest']]);
    const verified = await installation.json<Record<string, unknown>>('audit', 'verify');
    expect([verified.code, verified.document]).toMatchObject([
      0,
      { intact: true, events: 2, removedThrough: String(all.document.length - 1) },
    ]);
    // The report of the first run has the hash of an event that is gone.
    expect(verified.document['anchors']).toMatchObject({ tooOld: 1 });
    expect(existsSync(first.reports?.manifest ?? '')).toBe(true);
    const old = await installation.json<{ error: { message: string } }>(
      'audit',
      'verify',
      '--head',
      'a'.repeat(64),
    );
    expect([old.code, old.document.error.message]).toEqual([
      5,
      expect.stringContaining(
        `If the hash is older than event ${all.document.length}, retention removed its event`,
      ),
    ]);
    expect((await purge(installation)).removed('audit')).toBe(1);
    await take(installation, 'today.csv', settlementFile(4));
    expect((await installation.json('audit', 'verify')).code).toBe(0);
  });
});

describe('notifications', () => {
  test('those that were delivered or given up go, those that wait stay', async () => {
    const installation = await install('eventsDays: 100');
    const { sql } = installation.database.database;
    // As the payment core and the delivery leave them; their own tests are test/webhooks.
    const event = async (environment: string, status: string | null, acknowledged: boolean, days: number) => {
      const [row] = await sql<{ sequence: bigint }[]>`
        insert into payment_events (type, action, resource_id, environment, payload, occurred_at, acknowledged_at)
        values ('PAYMENT', 'CREATED', ${`${environment} ${status ?? 'none'} ${acknowledged ? 'read' : ''}`}, ${environment},
          '{}', now() - make_interval(days => ${days}), ${acknowledged ? new Date().toISOString() : null})
        returning sequence`;
      if (status === null || row === undefined) return;
      for (const [webhook, state] of [
        ['a', 'delivered'],
        ['b', status],
      ] as const) {
        await sql`insert into webhook_deliveries (webhook_id, sequence, status)
          values (${webhook}, ${row.sequence.toString()}, ${state})`;
      }
    };
    await event('live', 'delivered', false, 101);
    await event('live', 'dead', false, 101);
    await event('live', 'waiting', false, 101);
    await event('live', 'delivered', false, 99);
    // Nobody reads the events of live from a program; somebody does those of test.
    await event('live', null, false, 101);
    await event('test', null, false, 101);
    await event('test', null, true, 101);
    const done = await purge(installation);
    expect([done.removed('events'), done.kept('events')]).toEqual([4, ['2 waiting']]);
    const left = await sql<{ id: string }[]>`select resource_id as id from payment_events order by sequence`;
    expect(left.map(({ id }) => id.trim())).toEqual(['live waiting', 'live delivered', 'test none']);
    const [deliveries] = await sql`select count(*)::integer as count from webhook_deliveries`;
    expect(deliveries).toEqual({ count: 4 });
  });
});

describe('checkouts', () => {
  test('those that expired without a payment go, and the status of each is the same as before', async () => {
    const installation = await install('checkoutsDays: 100');
    const { sql } = installation.database.database;
    const core = await createPaymentCore({
      sql,
      environment: 'test',
      encryptionKeys,
      clock: () => Date.now(),
    });
    const checkout = async () => {
      const response = await core.checkouts.create({ paymentType: 'DB', amount: '92.00', currency: 'EUR' });
      return response.id;
    };
    const [unpaid, declined, paid] = [await checkout(), await checkout(), await checkout()];
    await core.checkouts.pay(declined, { ...card, 'card.holder': 'SIMULATE 800.100.155' });
    await core.checkouts.pay(paid, card);
    later(99);
    const young = await checkout();
    expect((await purge(installation)).removed('checkouts')).toBe(0);
    later(102);
    const statuses = () =>
      Promise.all(
        [unpaid, declined, paid, young].map(async (id) => (await core.checkouts.get(id)).result.code),
      );
    const before = await statuses();
    expect(before).toEqual(['200.300.406', '800.100.155', '000.100.110', '200.300.406']);

    const preview = await purge(installation, '--dry-run');
    expect([preview.removed('checkouts'), preview.kept('checkouts')]).toEqual([1, ['2 has-payment']]);
    const { document } = await purge(installation);
    expect({ ...document, dryRun: true }).toEqual(preview.document);
    const left = await sql<{ id: string }[]>`select id from checkouts`;
    expect(left.map(({ id }) => id).sort()).toEqual([declined, paid, young].sort());
    expect(await statuses()).toEqual(before);
    expect((await core.checkouts.pay(unpaid, card)).result.code).toBe('200.300.406');
  });
});

test('with afterRun, a completed run removes what is old, and a failure of that does not fail it', async () => {
  const installation = await install('archiveDays: 100, afterRun: true');
  await take(installation, 'matched.csv', matched);
  later(101);
  // A run that fails removes nothing.
  const reports = path.join(installation.dataDirectory, 'reports');
  renameSync(reports, `${reports}.aside`);
  writeFileSync(reports, 'not a folder');
  const failing = installation.write('failing.csv', settlementFile(2));
  expect((await installation.recon('run', '--file', failing)).code).toBe(6);
  expect(isArchived(installation, matched)).toBe(true);
  rmSync(reports);
  renameSync(`${reports}.aside`, reports);
  await take(installation, 'fresh.csv', fresh);
  expect([isArchived(installation, matched), isArchived(installation, fresh)]).toEqual([false, true]);

  const { sql } = installation.database.database;
  await sql`create function refuse() returns trigger language plpgsql as 'begin raise ''no''; end'`;
  await sql`create trigger refuse before update of archive_removed_at on settlement_files
    for each statement execute function refuse()`;
  later(250);
  const file = installation.write('today.csv', settlementFile(4));
  const { code, stderr } = await installation.recon('run', '--file', file);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Old data was not removed: ')]);
  expect(isArchived(installation, fresh)).toBe(true);
});

test('with afterRun, a run of recon schedule removes what is old too', async () => {
  const installation = await install('archiveDays: 100, afterRun: true');
  await take(installation, 'matched.csv', matched);
  installation.write('inbox/fresh.csv', fresh);
  const config = path.join(installation.directory, 'recon.config.yaml');
  appendFileSync(
    config,
    "schedule: { cron: '0 0 * * *' }\nsources:\n  - { name: inbox, protocol: local, folder: inbox }\n",
  );
  // It makes up for the run of yesterday.
  later(101);
  await installation.database.database.sql`
    update runs set scheduled_for = ${new Date(Date.now() - 2 * day).toISOString()}`;
  const stopping = new AbortController();
  const ended = recon(['schedule'], {
    cwd: installation.directory,
    environment: installation.environment,
    signal: stopping.signal,
  });
  onTestFinished(async () => {
    stopping.abort(new Interrupted('SIGTERM'));
    await ended;
  });
  await vi.waitUntil(() => !isArchived(installation, matched), { timeout: 30_000 });
  expect(isArchived(installation, fresh)).toBe(true);
});

test.each([['purge'], ['retire', '--before', '2020-01-01']])(
  'a run that was suspended before `recon %s` stores nothing after it',
  async (...command) => {
    const installation = await install('archiveDays: 90');
    const { runId } = await take(installation, 'settlement.csv', matched);
    const { database } = installation.database;
    const [row] = await database.sql<{ token: bigint }[]>`select token from run_fence`;
    const suspended = fencedTransactions(database, { runId, token: row?.token ?? 0n });
    onTestFinished(() => suspended.end());
    const write = () => suspended.transact((tx) => tx`update settlement_files set name = name`);
    expect((await write()).count).toBe(1);
    expect((await installation.recon(...command)).code).toBe(0);
    await expect(write()).rejects.toMatchObject({ code: 'RUN_REPLACED' });
  },
);
