import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noArchiveKeys } from '../../src/archive/archive-keys.js';
import { StoredBytes } from '../../src/archive/stored-bytes.js';
import { fencedTransactions, type Transact } from '../../src/db/fence.js';
import { fencedDryRun } from '../../src/db/fenced-dry-run.js';
import type { ReconError } from '../../src/errors.js';
import { loadFile, type FileToLoad, type LoadedFile, type LoadOptions } from '../../src/intake/load-file.js';
import { registerFile } from '../../src/intake/register-file.js';
import { fingerprintOf } from '../../src/settlement-file/fingerprint.js';
import { fileOf, rowCells, rowLine } from '../settlement-file/rows.js';
import { databaseForAllTests } from '../support/database.js';
import { deferred } from '../support/deferred.js';
import { runId } from '../../src/values/ids.js';
import { folderForAllTests } from '../support/test-folder.js';

const testDatabase = databaseForAllTests();
const folder = folderForAllTests();
let transact: Transact;
const fence = { runId: runId(1), token: 7n };
let largeFileBytes: number;

beforeAll(async () => {
  await testDatabase.database.sql`update run_fence set token = ${fence.token}, run_id = ${fence.runId}`;
  ({ transact } = fencedTransactions(testDatabase.database, fence));
});

beforeEach(async () => {
  await transact(async (tx) => {
    await tx`truncate settlement_files, settlement_records, already_known_rows, rejected_rows, row_places`;
  });
});

/** Stores a file in the archive and registers it. */
async function receive(
  content: string | Buffer,
  name = 'settlement.csv',
  work = transact,
): Promise<FileToLoad> {
  const bytes = Buffer.from(content);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const filePath = path.join(folder.path, sha256);
  await writeFile(filePath, bytes);
  const registered = await work((tx) =>
    registerFile(
      tx,
      runId(1),
      { source: 'acquirer', name, sha256, sizeBytes: bytes.length, receivedAtMs: 0, sidecar: null },
      largeFileBytes,
    ),
  );
  const place = { sha256, plain: filePath, encrypted: `${filePath}.none` };
  return { ...registered, bytes: new StoredBytes(place, noArchiveKeys) };
}

let advanced = 0;

function options(changes: Partial<LoadOptions> = {}): LoadOptions {
  advanced = 0;
  return {
    runId: runId(1),
    timezone: 'UTC',
    maxRejectedShare: 1,
    announced: null,
    signal: new AbortController().signal,
    progress: { advance: (by) => (advanced += by), end: () => undefined },
    turn: { come: () => Promise.resolve() },
    ...changes,
  };
}

async function load(
  content: string | Buffer,
  changes: Partial<LoadOptions> = {},
  name?: string,
): Promise<LoadedFile> {
  return loadFile(transact, await receive(content, name), options(changes));
}

interface StoredState {
  /** file/line fingerprint#occurrence of every record. */
  readonly records: string[];
  readonly known: string[];
  readonly rejected: string[];
}

/** Files are identified by their order, because their ids have gaps. */
async function stored(): Promise<StoredState> {
  const { sql } = testDatabase.database;
  const place = (id: string) => sql`(select count(*) from settlement_files f where f.id <= ${sql(id)})`;
  const records =
    await sql`select ${place('file_id')} || '/' || line || ' ' || settlement_tx_id || '#' || occurrence as text
    from settlement_records order by file_id, line`;
  const known =
    await sql`select ${place('file_id')} || '/' || line || ' is ' || ${place('record_file_id')} || '/' || record_line
      as text
    from already_known_rows order by file_id, line`;
  const rejected =
    await sql`select ${place('file_id')} || '/' || line || ' ' || (issues -> 0 ->> 'code') as text
    from rejected_rows order by file_id, line`;
  return {
    records: records.map((row) => String(row['text'])),
    known: known.map((row) => String(row['text'])),
    rejected: rejected.map((row) => String(row['text'])),
  };
}

const nothing: StoredState = { records: [], known: [], rejected: [] };
const row = (id: string, changes: Readonly<Record<string, string>> = {}) =>
  rowLine({ SettlementTxId: id, ...changes });
const bad = (id: string) => row(id, { Amount: 'x' });

describe.each([
  ['a file among others', Infinity],
  ['a file with its own table', 0],
])('%s', (_, bytes) => {
  beforeAll(() => {
    largeFileBytes = bytes;
  });

  describe('what is stored', () => {
    test('a record has the typed values of its row', async () => {
      const cells = rowCells({
        AccountHolder: 'Jürgen "J"; Müßig\nMax',
        DivisionId: '',
        Amount: '9999999999.99',
        SettlementFee: '',
        TxRequestTime: '2026-07-01 10:00:05.25',
        MatchedTransactions: `${'a'.repeat(32)},${'b'.repeat(32)}`,
      });
      const line = cells
        .map((cell) => (/["\n;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
        .join(';');
      await load(fileOf(line), { timezone: 'Europe/Berlin' });
      const [record] = await testDatabase.database.sql`select * from settlement_records`;
      expect(record).toMatchObject({
        line: 2,
        occurrence: 1,
        reconciliation_type: 'SETTLED',
        division_id: null,
        amount_minor: 999999999999n,
        settlement_amount_minor: 9975n,
        settlement_fee_minor: null,
        settlement_fx_rate_hundredths: 100n,
        tx_request_time: '2026-07-01 08:00:05.25+00',
        settlement_date: '2026-11-19',
        account_holder: 'Jürgen "J"; Müßig\nMax',
        clearing_institute_name: 'Example Acquirer',
        claimed_matched_transactions: `${'a'.repeat(32)},${'b'.repeat(32)}`,
        claimed_chargeback_id: null,
      });
      expect(String(record?.['fingerprint']).replaceAll('-', '')).toBe(fingerprintOf(cells));
    });

    test.each([
      ['2026-11-18 10:00:05', 'UTC', '2026-11-18 10:00:05+00'],
      ['2026-11-18 10:00:05', 'America/New_York', '2026-11-18 15:00:05+00'],
      ['2026-11-18 10:00:05 +0530', 'America/New_York', '2026-11-18 04:30:05+00'],
      ['2026-11-18 10:00:05Z', 'America/New_York', '2026-11-18 10:00:05+00'],
      ['2026-11-18 10:00:05.123456789 -11:30', 'UTC', '2026-11-18 21:30:05.123457+00'],
      // In the spring gap and the autumn overlap PostgreSQL's rule decides: the standard time's offset.
      ['2027-03-28 02:30:00', 'Europe/Berlin', '2027-03-28 01:30:00+00'],
      ['2026-10-25 02:30:00', 'Europe/Berlin', '2026-10-25 01:30:00+00'],
    ])('F64 TxRequestTime %s of a source in %s is %s', async (text, timezone, moment) => {
      await load(fileOf(row('A', { TxRequestTime: text })), { timezone });
      const [record] = await testDatabase.database.sql`select tx_request_time from settlement_records`;
      expect(record?.['tx_request_time']).toBe(moment);
    });

    test('F69 card numbers are masked in text and in quarantine, never in identifiers', async () => {
      const pan = '4200000000000000';
      const spoken = {
        Descriptor: `card ${pan}`,
        AccountHolder: '4200 0000 0000 0000',
        ReasonDesc: '4200\u20130000\u20130000\u20130000',
        MerchantAccountName: pan,
      };
      const glued = '4200\u00a00000\u00a00000\u00a00000';
      await load(
        fileOf(
          row(pan, spoken),
          row('B', { Amount: 'x', Descriptor: pan }),
          row('C', { ShortId: pan }),
          row('D', { Descriptor: glued }),
        ),
      );
      const [record] = await testDatabase.database.sql`
      select settlement_tx_id, descriptor, account_holder, reason_desc, merchant_account_name from settlement_records`;
      expect(record).toEqual({
        settlement_tx_id: pan,
        descriptor: 'card 420000******0000',
        account_holder: '420000******0000',
        reason_desc: '420000******0000',
        merchant_account_name: '420000******0000',
      });
      const rejected = await testDatabase.database
        .sql`select raw_text, issues from rejected_rows order by line`;
      expect(JSON.stringify(rejected)).not.toContain(pan);
      expect(JSON.stringify(rejected)).not.toContain('0000\u00a00000');
      expect(rejected[0]?.['raw_text']).toContain('420000******0000');
    });

    test('F70 F72 code, similar characters, blanks and leading zeros are stored unchanged', async () => {
      const texts = [
        `'); drop table payments;--`,
        '${jndi:ldap://x}',
        '=1+1',
        '\\N',
        '\\.',
        'a\\nb',
        ' padded ',
        '0007',
      ];
      await load(
        fileOf(
          ...texts.map((text) => row(text.replaceAll(';', ','), { Descriptor: text.replaceAll(';', ',') })),
        ),
      );
      const records = await testDatabase.database
        .sql`select settlement_tx_id, descriptor from settlement_records order by line`;
      expect(records.map((record) => String(record['settlement_tx_id']))).toEqual(
        texts.map((text) => text.replaceAll(';', ',')),
      );
      expect(records.map((record) => String(record['descriptor']))).toEqual(
        texts.map((text) => text.replaceAll(';', ',')),
      );
    });

    test('a rejected row is kept with line, text and every issue', async () => {
      const line = row('A', { Amount: '1,00', Currency: 'EURO' });
      const result = await load(fileOf(row('B'), line, 'sh\u0000rt', '', row('C')));
      expect(result.rows).toEqual({ total: 5, accepted: 2, rejected: 3, alreadyKnown: 0 });
      const rejected = await testDatabase.database
        .sql`select line, raw_text, issues from rejected_rows order by line`;
      expect(rejected).toEqual([
        {
          line: 3,
          raw_text: line,
          issues: [
            {
              column: 'Amount',
              code: 'NOT_AN_AMOUNT',
              message:
                'Amount must be 1 to 10 digits, a dot and 2 digits, for example 123.45. It looks like a decimal comma: write 1.00.',
              value: '1,00',
            },
            {
              column: 'Currency',
              code: 'UNKNOWN_CURRENCY',
              message: 'Currency must be an ISO 4217 code in capitals, for example EUR.',
              value: 'EURO',
            },
          ],
        },
        {
          line: 4,
          raw_text: 'sh\\u0000rt',
          issues: [
            { column: '', code: 'COLUMN_COUNT', message: 'The row has 1 cell; a row has 36.', value: '1' },
          ],
        },
        {
          line: 5,
          raw_text: '',
          issues: [
            { column: '', code: 'COLUMN_COUNT', message: 'The line is blank; a row has 36.', value: '0' },
          ],
        },
      ]);
    });

    test('the file has its counts, dates and name', async () => {
      const content = fileOf(row('A', { SettlementDate: '2026-11-18' }), row('B'), bad('C'));
      const result = await load(content);
      expect(result).toEqual({
        status: 'loaded',
        rows: { total: 3, accepted: 2, rejected: 1, alreadyKnown: 0 },
        error: null,
      });
      expect(advanced).toBe(Buffer.byteLength(content));
      const [file] = await testDatabase.database.sql`
      select status, finished_run_id, report_name, rows_total, rows_accepted, rows_rejected, rows_already_known,
        first_settlement_date, last_settlement_date, error_code from settlement_files`;
      expect(file).toEqual({
        status: 'loaded',
        finished_run_id: 1,
        report_name: 'settlement.csv',
        rows_total: 3,
        rows_accepted: 2,
        rows_rejected: 1,
        rows_already_known: 0,
        first_settlement_date: '2026-11-18',
        last_settlement_date: '2026-11-19',
        error_code: null,
      });
    });

    test('F46 a file with only a header is loaded with no rows', async () => {
      expect(await load(fileOf())).toEqual({
        status: 'loaded',
        rows: { total: 0, accepted: 0, rejected: 0, alreadyKnown: 0 },
        error: null,
      });
    });

    test('F35 a second file of a name carries the first digits of its SHA-256', async () => {
      await load(fileOf(row('A')));
      const second = fileOf(row('B'));
      await load(second);
      await load(fileOf(row('C')), {}, 'no-extension');
      await load(fileOf(row('D')), {}, 'no-extension');
      const names = await testDatabase.database
        .sql`select report_name, left(sha256, 8) as digits from settlement_files order by id`;
      expect(names.map((file) => String(file['report_name']))).toEqual([
        'settlement.csv',
        `settlement-${createHash('sha256').update(second).digest('hex').slice(0, 8)}.csv`,
        'no-extension',
        `no-extension-${String(names[3]?.['digits'])}`,
      ]);
    });
  });

  describe('F67 identity', () => {
    test('twins in one file are two records', async () => {
      await load(fileOf(row('A'), row('B'), row('A'), row('A')));
      expect((await stored()).records).toEqual(['1/2 A#1', '1/3 B#1', '1/4 A#2', '1/5 A#3']);
    });

    test('twins are numbered however far apart they are', async () => {
      const many = Array.from({ length: 300 }, (_, index) => row(`R${index}`));
      const content = fileOf(...many, bad('X'), row('R299'));
      const result = await load(content);
      expect(result.rows).toEqual({ total: 302, accepted: 301, rejected: 1, alreadyKnown: 0 });
      expect((await stored()).records.slice(-2)).toEqual(['1/301 R299#1', '1/303 R299#2']);
      expect(advanced).toBe(Buffer.byteLength(content));
    });

    test('a file is read once though it holds twins, and twice if it holds a known record', async () => {
      const many = Array.from({ length: 300 }, (_, index) => row(`R${index}`));
      const read = async (content: string) => {
        let bytes = 0;
        const progress = { advance: (by: number) => void (bytes += Math.max(by, 0)), end: () => undefined };
        await load(content, { progress });
        return bytes / Buffer.byteLength(content);
      };
      expect(await read(fileOf(...many, row('R299'), row('R0')))).toBe(1);
      expect(await read(fileOf(...many.map((_, index) => row(`S${index}`)), row('R299')))).toBe(2);
      expect((await stored()).known).toEqual(['2/302 is 1/301']);
    });

    test('an overlapping delivery adds just its new rows', async () => {
      await load(fileOf(row('A'), row('B')));
      const result = await load(fileOf(row('B'), row('C'), row('A')));
      expect(result.rows).toEqual({ total: 3, accepted: 3, rejected: 0, alreadyKnown: 2 });
      expect(await stored()).toEqual({
        records: ['1/2 A#1', '1/3 B#1', '2/3 C#1'],
        known: ['2/2 is 1/3', '2/4 is 1/2'],
        rejected: [],
      });
    });

    test('a further twin in a later delivery is a new record', async () => {
      await load(fileOf(row('A')));
      const result = await load(fileOf(row('A'), row('A')));
      expect(result.rows.alreadyKnown).toBe(1);
      expect(await stored()).toMatchObject({ records: ['1/2 A#1', '2/3 A#2'], known: ['2/2 is 1/2'] });
    });

    test('a corrected file adds the corrected rows; claims in the last three columns change nothing', async () => {
      await load(fileOf(row('A'), bad('B')));
      const claimed = row('A', { MatchingStatus: 'NOT_MATCHED' });
      const result = await load(fileOf(claimed, row('B')));
      expect(result.rows).toEqual({ total: 2, accepted: 2, rejected: 0, alreadyKnown: 1 });
      expect((await stored()).records).toEqual(['1/2 A#1', '2/3 B#1']);
    });

    test('F68 the same reference with another amount is another record', async () => {
      await load(fileOf(row('A'), row('A', { Amount: '101.00' })));
      expect((await stored()).records).toEqual(['1/2 A#1', '1/3 A#1']);
    });

    test('F71 which records are stored does not depend on the order of rows or files', async () => {
      const deliveries = [
        [row('A'), row('A'), row('B')],
        [row('B'), row('C')],
        [row('A'), row('C'), row('C'), row('D')],
      ];
      const identities = async () =>
        (
          await testDatabase.database
            .sql`select fingerprint || '#' || occurrence as identity from settlement_records order by 1`
        ).map((record) => String(record['identity']));
      const results: string[][] = [];
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 2, 0],
      ]) {
        await transact(
          (tx) =>
            tx`truncate settlement_files, settlement_records, already_known_rows, rejected_rows, row_places`,
        );
        for (const index of order)
          await load(fileOf(...(deliveries[index] ?? []).toReversed()), {}, `${index}.csv`);
        results.push(await identities());
      }
      expect(results[0]).toHaveLength(6);
      expect(results[1]).toEqual(results[0]);
      expect(results[2]).toEqual(results[0]);
    });
  });

  describe('a rejected file stores only its status', () => {
    test.each([
      ['F38 empty', '', 1, 'FILE_EMPTY', 0],
      ['F47 header', `x${fileOf(row('A'))}`, 1, 'FILE_HEADER', 0],
      ['F53 quote', fileOf(row('A'), '"'), 1, 'FILE_QUOTE', 1],
      [
        'F59 encoding',
        Buffer.concat([Buffer.from(fileOf(row('A'))), Buffer.from([0xfc, 0x0a])]),
        1,
        'FILE_ENCODING',
        1,
      ],
      ['F61 length', fileOf(row('A'), 'x'.repeat(2 ** 20 + 1)), 1, 'FILE_RECORD_TOO_LONG', 1],
      ['F51 no valid row', fileOf(bad('A'), bad('B')), 1, 'FILE_NO_VALID_ROW', 2],
      ['F51 no valid row, blank lines', fileOf('', bad('B')), 1, 'FILE_NO_VALID_ROW', 2],
      ['F51 more than the share', fileOf(row('A'), row('B'), bad('C')), 0.33, 'FILE_TOO_MANY_REJECTED', 3],
      ['F51 any, where none is allowed', fileOf(row('A'), bad('B')), 0, 'FILE_TOO_MANY_REJECTED', 2],
    ])('%s', async (_what, content, maxRejectedShare, code, total) => {
      const result = await load(content, { maxRejectedShare });
      expect(result).toMatchObject({
        status: 'rejected',
        error: { code },
        rows: { total, accepted: 0, alreadyKnown: 0 },
      });
      if (code === 'FILE_TOO_MANY_REJECTED')
        expect(result.error?.message).toContain(`1 of ${total} rows is rejected;`);
      expect(await stored()).toEqual(nothing);
      const [file] = await testDatabase.database.sql`select * from settlement_files`;
      const date = total > 0 ? '2026-11-19' : null;
      expect(file).toMatchObject({
        status: 'rejected',
        finished_run_id: 1,
        error_code: code,
        error_message: result.error?.message,
        first_settlement_date: date,
        last_settlement_date: date,
        rows_total: total,
        rows_accepted: 0,
      });
    });

    test('a file with exactly the allowed share is loaded', async () => {
      expect(await load(fileOf(row('A'), bad('B')), { maxRejectedShare: 0.5 })).toMatchObject({
        status: 'loaded',
      });
    });

    test('F51 the reason quotes the first issues', async () => {
      const result = await load(fileOf(bad('A')));
      expect(result.error?.message).toBe(
        'The only row is not valid.\n  ' +
          "Amount: 1 of 1 row, for example 'x'. Line 2: " +
          'Amount must be 1 to 10 digits, a dot and 2 digits, for example 123.45.',
      );
    });

    test('a rejected file can be loaded later, for example after the limit was raised', async () => {
      const content = fileOf(row('A'), bad('B'));
      await load(content, { maxRejectedShare: 0 });
      expect(await load(content)).toMatchObject({ status: 'loaded', error: null });
      const [file] = await testDatabase.database
        .sql`select status, error_code, error_message, report_name from settlement_files`;
      expect(file).toEqual({
        status: 'loaded',
        error_code: null,
        error_message: null,
        report_name: 'settlement.csv',
      });
    });
  });

  describe('loaded or nothing', () => {
    const many = fileOf(
      ...Array.from({ length: 20_000 }, (_, index) =>
        index % 10 === 0 ? bad(`R${index}`) : row(`R${index}`),
      ),
    );

    test('F61 a quarantine larger than its memory limit is stored in portions', async () => {
      const wide = 'x'.repeat(20_000);
      const content = fileOf(
        ...Array.from({ length: 900 }, (_, index) => (index % 2 === 0 ? row(`R${index}`) : wide)),
      );
      const result = await load(content);
      expect(result.rows).toEqual({ total: 900, accepted: 450, rejected: 450, alreadyKnown: 0 });
      expect((await stored()).rejected).toHaveLength(450);
    });

    test('F81 when the backend is killed during the COPY nothing is stored, and the next try loads everything', async () => {
      const file = await receive(many);
      const { sql } = testDatabase.database;
      let seen = 0;
      const progress = {
        advance: (by: number) => {
          seen += by;
          if (seen > 1_000_000 && seen - by <= 1_000_000) {
            void sql`select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'copy settlement_records%'
            and datname = current_database() and pid <> pg_backend_pid()`.execute();
          }
        },
        end: () => undefined,
      };
      await expect(loadFile(transact, file, options({ progress }))).rejects.toThrow();
      expect(await stored()).toEqual(nothing);
      const [row1] = await sql`select status from settlement_files`;
      expect(row1?.['status']).toBe('received');
      expect(await loadFile(transact, file, options())).toMatchObject({
        status: 'loaded',
        rows: { total: 20_000, accepted: 18_000, rejected: 2000 },
      });
    });

    test('F76 an interruption stops loading between blocks', async () => {
      const file = await receive(many);
      const controller = new AbortController();
      const progress = { advance: () => controller.abort(), end: () => undefined };
      const failure = await loadFile(transact, file, options({ signal: controller.signal, progress })).catch(
        (thrown: unknown) => thrown,
      );
      expect((failure as ReconError).code).toBe('RUN_INTERRUPTED');
      expect(await stored()).toEqual(nothing);
      const idle = await testDatabase.database.sql`
      select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
      expect(idle).toHaveLength(0);
    });

    test.each([
      ['gone', 'DISK_FAILED', async (file: FileToLoad) => rm(path.join(folder.path, file.sha256))],
      [
        'shortened',
        'DISK_FAILED',
        async (file: FileToLoad) => writeFile(path.join(folder.path, file.sha256), fileOf(row('A'))),
      ],
    ])(
      'an archive whose bytes are %s fails the load and leaves the file as it was',
      async (_what, code, damage) => {
        const file = await receive(fileOf(row('A'), row('B')));
        await damage(file);
        const failure = await loadFile(transact, file, options()).catch((thrown: unknown) => thrown);
        expect((failure as ReconError).code).toBe(code);
        expect(await stored()).toEqual(nothing);
        const [state] = await testDatabase.database.sql`select status from settlement_files`;
        expect(state?.['status']).toBe('received');
      },
    );

    test('a record that two files bring belongs to the earlier one, even if the later one is copied first', async () => {
      const first = await receive(fileOf(row('A'), row('B')), 'first.csv');
      const second = await receive(fileOf(row('C'), row('B'), row('D')), 'second.csv');
      const copied = deferred();
      const turn = deferred();
      const come = () => {
        copied.resolve();
        return turn.promise;
      };
      const later = loadFile(transact, second, options({ turn: { come } }));
      await copied.promise;
      const earlier = await loadFile(transact, first, options());
      turn.resolve();
      expect([earlier.rows.alreadyKnown, (await later).rows.alreadyKnown]).toEqual([0, 1]);
      expect(await stored()).toEqual({
        records: ['1/2 A#1', '1/3 B#1', '2/2 C#1', '2/4 D#1'],
        known: ['2/3 is 1/3'],
        rejected: [],
      });
    });

    test('a file is not stored when an earlier one failed', async () => {
      const file = await receive(fileOf(row('A')));
      const turn = { come: () => Promise.reject(new Error('the earlier one')) };
      await expect(loadFile(transact, file, options({ turn }))).rejects.toThrow('the earlier one');
      const broken = await receive('no header', 'broken.csv');
      await expect(loadFile(transact, broken, options({ turn }))).rejects.toThrow('the earlier one');
      expect(await stored()).toEqual(nothing);
      const states = await testDatabase.database.sql`select distinct status from settlement_files`;
      expect(states).toEqual([{ status: 'received' }]);
    });

    test('nothing is written without the fence', async () => {
      const file = await receive(fileOf(row('A')));
      const { transact: stale } = fencedTransactions(testDatabase.database, { ...fence, token: 6n });
      await expect(loadFile(stale, file, options())).rejects.toMatchObject({ code: 'RUN_REPLACED' });
      expect(await stored()).toEqual(nothing);
    });

    test('a dry run loads several files, sees them, and stores nothing', async () => {
      const dry = await fencedDryRun(testDatabase.database, fence);
      const first = await receive(fileOf(row('A'), row('A')), 'a.csv', dry.transact);
      const second = await receive(fileOf(row('A'), row('B')), 'b.csv', dry.transact);
      const third = await receive(fileOf(bad('A')), 'c.csv', dry.transact);
      const results = [];
      for (const file of [first, second, third]) {
        results.push(await loadFile(dry.transact, file, options({ timezone: 'Europe/Berlin' })));
      }
      expect(results.map((result) => [result.status, result.rows.alreadyKnown])).toEqual([
        ['loaded', 0],
        ['loaded', 1],
        ['rejected', 0],
      ]);
      const zone = await dry.transact((tx) => tx`select current_setting('TimeZone') as zone`);
      expect(zone[0]?.['zone']).toBe('UTC');
      await dry.end();
      expect(await stored()).toEqual(nothing);
    });

    test('sums of amounts beyond the exact range of a number are compared exactly', async () => {
      const lines = Array.from({ length: 12_000 }, (_, index) =>
        row(`R${index}`, { Amount: '9999999999.99' }),
      );
      expect(await load(fileOf(...lines))).toMatchObject({ status: 'loaded' });
      const [sum] = await testDatabase.database
        .sql`select sum(amount_minor)::text as sum from settlement_records`;
      expect(sum?.['sum']).toBe(String(12_000n * 999_999_999_999n));
    });
  });
});
