import { describe, expect, it } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import type { MatchingSettings } from '../../../src/matching/run-matching.js';
import { databaseForAllTests } from '../../support/database.js';
import { matchRange, matchRun, openFindings } from '../findings.js';
import {
  fingerprintOf,
  id32,
  rolledBack,
  storePayments,
  storeRecords,
  type TestRecord,
} from '../scenario.js';
import { paymentsOf, recordsOf } from '../table.js';

const testDatabase = databaseForAllTests();

const asking = { corrections: {} } as const;

/** One file after the other, each in a run; then what is open, as `CODE subject expected actual`. */
async function deliver(
  tx: Tx,
  table: string,
  settings: Partial<MatchingSettings> = asking,
  firstRun = 1,
): Promise<string[]> {
  const records = recordsOf(table);
  let run = firstRun;
  for (const file of [...new Set(records.map((record) => record.file))]) {
    await storeRecords(
      tx,
      run,
      records.filter((record) => record.file === file),
    );
    await matchRun(tx, run, settings);
    run += 1;
  }
  return open(tx, records);
}

async function open(tx: Tx, records: readonly TestRecord[]): Promise<string[]> {
  const names = new Map(records.map((each) => [fingerprintOf(each.name), each.name]));
  const findings = await openFindings(tx, names);
  return findings
    .filter((each) => each.code !== 'MISSING_SETTLEMENT')
    .map(({ code, subject, expected, actual }) => `${code} ${subject}: ${expected ?? ''} -> ${actual ?? ''}`);
}

const payments = (tx: Tx) => storePayments(tx, paymentsOf('payment | short\np1 | s1\np2 | s2'));

async function decide(tx: Tx, kind: string, name: string, refersTo: bigint | null = null): Promise<bigint> {
  const [row] = await tx<{ number: bigint }[]>`
    insert into decisions (item, file_id, line, kind, refers_to, basis, author, decided_on, decided_at, origin)
    select 'x', file_id, line, ${kind}, ${refersTo}, 'b', 'anna', '2026-11-22', now(), 'command'
    from settlement_records where fingerprint = ${fingerprintOf(name)}
    returning number`;
  return row?.number ?? 0n;
}

const uncounted = async (tx: Tx) => {
  const rows = await tx<{ reason: string; file_id: number; line: number }[]>`
    select reason, file_id, line from uncounted_records order by file_id, line`;
  return rows.map(({ reason, file_id: file, line }) => `${reason} ${file}:${line}`);
};

const corrected = `
  record | file | unique | amount | tx
  a      | 1    | p1     | 90.00  | K1
  b      | 2    | p1     | 100.00 | K1`;
const undecided = [
  'AMOUNT_MISMATCH p1/1: 100.00 -> 90.00',
  'RECORD_REDELIVERED b/1: Amount 90.00, SettlementAmount 90.00 -> Amount 100.00, SettlementAmount 100.00',
];

describe('a record that a later file delivers with other cells', () => {
  it('is found and takes part in no sum', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      const found = await deliver(tx, corrected);
      expect(found.map((each) => each.replace('a/1', 'p1/1'))).toEqual(undecided);
      const [match] = await tx`select status from record_matches where file_id = 2`;
      expect(match).toEqual({ status: 'MATCHED' });
      expect(await uncounted(tx)).toEqual(['REDELIVERED 2:3']);
    }));

  it.each([
    [
      'repeats no failed settlement',
      `record | file | unique | short | amount | tx | status
       a | 1 | p1 | | 100.00 | K0 | FAILED
       b | 1 | p1 | | 90.00 | K1 |
       c | 2 | p1 | | 100.00 | K1 |`,
      ['AMOUNT_MISMATCH', 'RECORD_REDELIVERED', 'SETTLEMENT_FAILED'],
    ],
    [
      'fills no room of its payment',
      `record | file | unique | short | amount | tx | status
       a | 1 | q1 | | 50.00 | K1 |
       b | 2 | q1 | | 100.00 | K1 |
       c | 2 | | s3 | 100.00 | K2 |`,
      ['AMOUNT_MISMATCH', 'MULTIPLE_MATCHES', 'RECORD_REDELIVERED'],
    ],
  ])('%s while it waits for a decision', (_name, table, codes) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment | short\np1 | s1\nq1 | s3\nq2 | s3'));
      const found = await deliver(tx, table);
      expect(found.map((each) => each.split(' ')[0])).toEqual(codes);
    }),
  );

  it('replaces the former where the source says so, and by a decision', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      expect(await deliver(tx, corrected, { corrections: { test: 'replace' } })).toEqual([]);
      expect(await uncounted(tx)).toEqual(['SUPERSEDED 1:2']);
    }));

  it('follows the decision in the next run, back and forth', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      const before = await deliver(tx, corrected);
      const records = recordsOf(corrected);
      const first = await decide(tx, 'supersede', 'b');
      await matchRun(tx, 3, asking);
      expect(await open(tx, records)).toEqual([]);
      expect(await uncounted(tx)).toEqual(['SUPERSEDED 1:2']);
      await decide(tx, 'undo', 'b', first);
      await matchRun(tx, 4, asking);
      expect(await open(tx, records)).toEqual(before);
      await decide(tx, 'keep-both', 'b');
      await matchRange(tx, 5, undefined, asking);
      // By fingerprint the later record stands first.
      expect(await open(tx, records)).toEqual(['DUPLICATE_SETTLEMENT a/1: 0.00 -> 90.00']);
      expect(await uncounted(tx)).toEqual([]);
    }));

  it.each<[story: string, table: string]>([
    [
      'by another id',
      `record | file | unique | amount | tx
       a | 1 | p1 | 60.00 | K1
       b | 2 | p1 | 40.00 | K2`,
    ],
    [
      'without an id',
      `record | file | unique | amount
       a | 1 | p1 | 60.00
       b | 2 | p1 | 40.00`,
    ],
    [
      'in one file',
      `record | file | unique | amount | tx
       a | 1 | p1 | 60.00 | K1
       b | 1 | p1 | 40.00 | K1`,
    ],
    [
      'for another payment',
      `record | file | unique | tx
       a | 1 | p1 | K1
       b | 2 | p2 | K1`,
    ],
    [
      'with another type',
      `record | file | unique | kind | tx | cashflow
       a | 1 | p1 | SETTLED DEBIT | K1 |
       b | 2 | p1 | FEE CAPTURE_FEE | K1 | NEG`,
    ],
    [
      'as a repeat of a failure',
      `record | file | unique | tx | status | date
       a | 1 | p1 | K1 | FAILED | 2026-11-18
       b | 2 | p1 | K1 | SUCCESS | 2026-11-19`,
    ],
  ])('is another record when it comes %s', (_story, table) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      expect(await deliver(tx, table)).toEqual([]);
    }),
  );

  it('adds up where the source says so', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      const split = `record | file | unique | amount | tx
       a | 1 | p1 | 60.00 | K1
       b | 2 | p1 | 40.00 | K1`;
      expect(await deliver(tx, split, { corrections: { test: 'add' } })).toEqual([]);
    }));

  it.each(['short', 'tx1'])('is recognised by %s too, matched or not', (reference) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      const found = await deliver(
        tx,
        `record | file | ${reference} | amount | tx
         a | 1 | s1 | 90.00 | K1
         b | 2 | s1 | 100.00 | K1
         c | 1 | s9 | 90.00 | K2
         d | 2 | s9 | 100.00 | K2`,
      );
      expect(found.filter((each) => each.startsWith('RECORD')).map((each) => each.slice(0, 22))).toEqual([
        'RECORD_REDELIVERED b/1',
        'RECORD_REDELIVERED d/1',
      ]);
    }),
  );

  describe('after its payment was stored', () => {
    const table = (uniqueId: string) => `
      record | file | unique       | amount | tx | date
      a      | 1    | p9           | 90.00  | K1 | 2026-08-01
      b      | 2    | ${uniqueId}  | 100.00 | K1 | 2026-11-19`;
    /**
     * File 1, then the payment, then file 2: file 1 is older than the look-back, so its record is not matched again.
     */
    const late = async (tx: Tx, records: readonly TestRecord[], mode: 'ask' | 'replace') => {
      const settings = { corrections: { test: mode } };
      await storeRecords(tx, 1, records.slice(0, 1));
      await matchRun(tx, 1, { ...settings, asOf: '2026-08-01' });
      await storePayments(tx, paymentsOf('payment\np8\np9'));
      await storeRecords(tx, 2, records.slice(1));
      await matchRun(tx, 2, settings);
      return open(tx, records);
    };

    it('is recognised although the former never got that payment, whatever its age', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        const records = recordsOf(table('p9'));
        expect((await late(tx, records, 'ask')).map((each) => each.slice(0, 22))).toEqual([
          'NOT_MATCHED a/1: one p',
          'RECORD_REDELIVERED b/1',
        ]);
        await decide(tx, 'supersede', 'b');
        await matchRun(tx, 3, asking);
        expect(await open(tx, records)).toEqual([]);
        expect(await uncounted(tx)).toEqual(['SUPERSEDED 1:2']);
      }));

    it('replaces such a former at once where the source says so', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        expect(await late(tx, recordsOf(table('p9')), 'replace')).toEqual([]);
        expect(await uncounted(tx)).toEqual(['SUPERSEDED 1:2']);
      }));

    it('is another record when it names another payment', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        const found = await late(tx, recordsOf(table('p8')), 'ask');
        expect(found.map((each) => each.slice(0, 15))).toEqual(['NOT_MATCHED a/1']);
      }));

    it('is not looked for any more once the former was matched by it', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        const awaited = () => tx<{ awaited_id: string | null }[]>`select awaited_id from delivery_keys`;
        await storeRecords(tx, 1, recordsOf(table('p9')).slice(0, 1));
        await matchRun(tx, 1, { ...asking, asOf: '2026-08-01' });
        expect((await awaited()).map(({ awaited_id: id }) => id?.slice(0, 2))).toEqual(['p9']);
        await storePayments(tx, paymentsOf('payment\np9'));
        await matchRun(tx, 2, { ...asking, asOf: '2026-08-02' });
        expect([...(await awaited())]).toEqual([{ awaited_id: null }]);
      }));
  });

  it('is compared with the newest delivery that counts', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      const three = `${corrected}
  c      | 3    | p1     | 110.00 | K1`;
      const found = await deliver(tx, three);
      expect(found.filter((each) => each.startsWith('RECORD'))).toEqual([
        undecided[1],
        'RECORD_REDELIVERED c/1: Amount 90.00, SettlementAmount 90.00 -> Amount 110.00, SettlementAmount 110.00',
      ]);
      await decide(tx, 'supersede', 'b');
      await matchRun(tx, 4, asking);
      expect((await open(tx, recordsOf(three))).filter((each) => each.startsWith('RECORD'))).toEqual([
        'RECORD_REDELIVERED c/1: Amount 100.00, SettlementAmount 100.00 -> Amount 110.00, SettlementAmount 110.00',
      ]);
    }));

  it('is paired within its file, and leaves out what the later file repeats', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      const found = await deliver(
        tx,
        `record | file | unique | amount | tx
         a | 1 | p1 | 60.00 | K1
         b | 1 | p1 | 40.00 | K1
         c | 2 | p1 | 70.00 | K1
         d | 2 | p1 | 30.00 | K1`,
      );
      expect(
        found.filter((each) => each.startsWith('RECORD')).map((each) => each.replace(/, S.*?(?= ->|$)/g, '')),
      ).toEqual([
        'RECORD_REDELIVERED c/1: Amount 60.00 -> Amount 70.00',
        'RECORD_REDELIVERED d/1: Amount 40.00 -> Amount 30.00',
      ]);
    }));

  it('is paired with those of the file that brings it, when its first file is withdrawn', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      const records = recordsOf(`
        record | file | unique | amount | tx | date
        a      | 1    | p1     | 30.00  | K1 | 2026-11-19
        b      | 2    | p1     | 60.00  | K1 | 2026-11-18
        c      | 2    | p1     | 40.00  | K1 | 2026-11-19
        d      | 3    | p1     | 50.00  | K1 | 2026-11-18`);
      const [a] = records;
      if (a === undefined) throw new Error('the table has records');
      for (const file of [1, 2, 3]) {
        // File 3 brings `a` again, before `d`.
        const repeats = file === 3 ? [{ source: 'test', file, line: 1, record: a }] : [];
        await storeRecords(
          tx,
          file,
          records.filter((each) => each.file === file),
          repeats,
        );
      }
      await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
        values (1, 'withdraw', 'r', 'anna', now())`;
      for (const run of [1, 2, 3]) await matchRun(tx, run, asking);
      const found = (await open(tx, records)).filter((each) => each.startsWith('RECORD'));
      expect(found.map((each) => each.replace(/, S.*?(?= ->|$)/g, ''))).toEqual([
        'RECORD_REDELIVERED a/1: Amount 40.00 -> Amount 30.00',
        'RECORD_REDELIVERED d/1: Amount 60.00 -> Amount 50.00',
      ]);
    }));

  describe('and again as it was before', () => {
    const rows = `
      record | file | unique | amount | tx
      a      | 1    | p1     | 100.00 | K1
      b      | 2    | p1     | 90.00  | K1`;
    const replacing = { corrections: { test: 'replace' } } as const;
    const redelivered = (found: readonly string[]) =>
      found.map((each) => each.replace(/, S.*?(?= ->|$)/g, '')).filter((each) => each.startsWith('RECORD'));

    /** Files that bring these records, each in a run; a record that came before is a repeat. */
    async function bring(
      tx: Tx,
      settings: Partial<MatchingSettings>,
      files: readonly string[],
      firstFile = 1,
    ) {
      for (const [index, names] of files.entries()) {
        const file = firstFile + index;
        const ofFile = recordsOf(rows).filter((each) => names.split(' ').includes(each.name));
        await storeRecords(
          tx,
          file,
          ofFile.filter((each) => each.file === file),
          ofFile
            .filter((each) => each.file !== file)
            .map((record) => ({ source: 'test', file, line: record.line + 10, record })),
        );
        await matchRun(tx, file, settings);
      }
    }

    const withdraw = (tx: Tx, file: number) => tx`
      insert into file_withdrawals (file_id, kind, reason, author, decided_at)
      values (${file}, 'withdraw', 'r', 'anna', now())`;

    it.each<[story: string, mode: 'replace' | 'add', files: string[], uncounted: string[]]>([
      [
        'takes the correction back where the source says replace',
        'replace',
        ['a', 'b', 'a'],
        ['SUPERSEDED 2:3'],
      ],
      ['corrects it once more', 'replace', ['a', 'b', 'a', 'b'], ['SUPERSEDED 1:2']],
      ['and once more', 'replace', ['a', 'b', 'a', 'b', 'a'], ['SUPERSEDED 2:3']],
      ['changes nothing with the correction in one file', 'replace', ['a', 'b', 'a b'], ['SUPERSEDED 1:2']],
      ['changes nothing before the correction', 'replace', ['a', 'a b'], []],
      ['adds up nothing where the source adds up', 'add', ['a', 'b', 'a'], []],
    ])('%s', (_story, mode, files, expected) =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        await payments(tx);
        await bring(tx, { corrections: { test: mode } }, files);
        expect(await uncounted(tx)).toEqual(expected);
        await matchRange(tx, 90, undefined, { corrections: { test: mode } });
        expect(await uncounted(tx)).toEqual(expected);
      }),
    );

    it('no longer counts once the file that brought it again is withdrawn', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        await payments(tx);
        await bring(tx, replacing, ['a', 'b', 'a']);
        expect(await open(tx, recordsOf(rows))).toEqual([]);
        await withdraw(tx, 3);
        await matchRun(tx, 4, replacing);
        expect(await open(tx, recordsOf(rows))).toEqual(['AMOUNT_MISMATCH b/1: 100.00 -> 90.00']);
        await withdraw(tx, 2);
        await matchRun(tx, 5, replacing);
        expect(await open(tx, recordsOf(rows))).toEqual([]);
        expect(await uncounted(tx)).toEqual(['WITHDRAWN 2:3']);
      }));

    it('asks where a person decided for the correction, and follows the decision about its return', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        await payments(tx);
        await bring(tx, asking, ['a', 'b']);
        await decide(tx, 'supersede', 'b');
        await bring(tx, asking, ['a'], 3);
        expect(redelivered(await open(tx, recordsOf(rows)))).toEqual([
          'RECORD_REDELIVERED a/1: Amount 90.00 -> Amount 100.00',
        ]);
        expect(await uncounted(tx)).toEqual(['REDELIVERED 1:2']);
        const [finding] = await tx<{ message: string }[]>`
          select message from discrepancies where code = 'RECORD_REDELIVERED' and resolved_run is null`;
        expect(finding?.message).toBe(
          'settlement-2.csv line 3 corrected this record, with another Amount, SettlementAmount, and settlement-3.csv delivers it ' +
            'as it was before. Until somebody decides which of the two counts, this one takes no part in any sum.',
        );
        const decision = await decide(tx, 'supersede', 'a');
        await matchRun(tx, 4, asking);
        expect(await open(tx, recordsOf(rows))).toEqual([]);
        expect(await uncounted(tx)).toEqual(['SUPERSEDED 2:3']);
        await decide(tx, 'undo', 'a', decision);
        await matchRun(tx, 5, asking);
        expect(await uncounted(tx)).toEqual(['REDELIVERED 1:2']);
        await decide(tx, 'keep-both', 'a');
        await matchRun(tx, 6, asking);
        expect(await uncounted(tx)).toEqual([]);
      }));

    it('asks nothing while the correction itself waits', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        await payments(tx);
        await bring(tx, asking, ['a', 'b', 'a']);
        expect(redelivered(await open(tx, recordsOf(rows)))).toEqual([
          'RECORD_REDELIVERED b/1: Amount 100.00 -> Amount 90.00',
        ]);
      }));
  });
});

describe('a chargeback that is delivered again', () => {
  const table = `
    record | file | kind       | unique | amount | tx
    a      | 1    | CHARGEBACK | p1     | 90.00  | C1
    b      | 2    | CHARGEBACK | p1     | 80.00  | C1`;
  const links = (tx: Tx) =>
    tx<{ line: number; id: string; active: boolean }[]>`
      select line, chargeback_id as id, active from chargeback_links order by line`;
  const booked = async (tx: Tx) => {
    const rows = await tx<{ id: string; amount_minor: bigint }[]>`
      select id, amount_minor from payments where payment_type = 'CB' order by amount_minor`;
    return rows.map((row) => row.amount_minor);
  };

  it('has no id before it is decided; superseding passes the id on, keeping both gives a second one', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      await deliver(tx, table);
      const before = [...(await links(tx))];
      expect(before).toHaveLength(1);
      const decision = await decide(tx, 'supersede', 'b');
      await matchRun(tx, 3, asking);
      const id = before[0]?.id ?? '';
      expect(await links(tx)).toEqual([
        { line: 2, id, active: false },
        { line: 3, id, active: true },
      ]);
      expect(await booked(tx)).toEqual([8000n]);
      await matchRange(tx, 4, undefined, asking);
      expect(await booked(tx)).toEqual([8000n]);
      await decide(tx, 'undo', 'b', decision);
      await matchRun(tx, 5, asking);
      expect([...(await links(tx))]).toEqual(before);
      expect(await booked(tx)).toEqual([9000n]);
      await decide(tx, 'supersede', 'b');
      await matchRun(tx, 6, asking);
      await decide(tx, 'keep-both', 'b');
      await matchRun(tx, 7, asking);
      const both = await links(tx);
      expect(both.map(({ active }) => active)).toEqual([true, true]);
      expect(new Set(both.map((link) => link.id)).size).toBe(2);
      expect(await booked(tx)).toEqual([8000n, 9000n]);
    }));

  it('is not reversed by a later delivery of its reversal that waits for a decision', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      const found = await deliver(
        tx,
        `record | file | kind       | unique | amount | tx
         a      | 1    | CHARGEBACK | p1     | 20.00  | C1
         b      | 1    | CHARGEBACK | p1     | 30.00  | C2
         c      | 2    | REVERSAL   | p1     | 20.00  | R1
         d      | 3    | REVERSAL   | p1     | 30.00  | R1`,
      );
      expect(found.map((each) => each.split(':')[0])).toEqual(['RECORD_REDELIVERED d/1']);
      expect((await links(tx)).map(({ line }) => line)).toEqual([2, 3, 4]);
    }));

  it('is open again once its reversal is replaced by one that FAILED, and is reversed by the repeat of that one', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const settings = { corrections: { test: 'replace' } } as const;
      await payments(tx);
      const failed = `
        record | file | kind       | unique | amount | tx | status
        a      | 1    | CHARGEBACK | p1     | 20.00  | C1 |
        b      | 2    | REVERSAL   | p1     | 20.00  | R1 |
        c      | 3    | REVERSAL   | p1     | 20.00  | R1 | FAILED`;
      const returned = async () => {
        const rows = await tx<{ line: number; amount_minor: bigint }[]>`
          select l.line, p.amount_minor from chargeback_links l join payments p on p.id = l.booking_id
          where l.kind = 'CHARGEBACK REVERSAL' and l.active and p.amount_minor > 0`;
        return rows.map(({ line, amount_minor: amount }) => `${line} ${amount}`);
      };
      expect((await deliver(tx, failed, settings)).map((each) => each.split(':')[0])).toEqual([
        'SETTLEMENT_FAILED c/1',
      ]);
      expect(await returned()).toEqual([]);
      const repeat = recordsOf(`${failed}
        d      | 4    | REVERSAL   | p1     | 20.00  | R1 |`).slice(-1);
      await storeRecords(tx, 4, repeat);
      await matchRun(tx, 4, settings);
      expect((await open(tx, repeat)).map((each) => each.split(' ')[0])).toEqual(['SETTLEMENT_FAILED']);
      expect(await returned()).toEqual(['5 2000']);
    }));

  it('stays with the earlier of two deliveries that have it from a withdrawn one', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      await deliver(
        tx,
        `${table}
         c | 3 | CHARGEBACK | p1 | 70.00 | C1`,
      );
      const id = (await links(tx))[0]?.id;
      await decide(tx, 'supersede', 'b');
      await matchRun(tx, 4, asking);
      await decide(tx, 'supersede', 'c');
      await matchRun(tx, 5, asking);
      await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
        values (1, 'withdraw', 'r', 'anna', now())`;
      await matchRun(tx, 6, asking);
      expect((await links(tx)).filter(({ active }) => active)).toEqual([{ line: 4, id, active: true }]);
      await decide(tx, 'keep-both', 'c');
      await matchRun(tx, 7, asking);
      const [b, c] = (await links(tx)).filter(({ active }) => active);
      expect(b).toEqual({ line: 3, id, active: true });
      expect(c?.id).not.toBe(id);
      expect(await booked(tx)).toEqual([7000n, 8000n]);
    }));

  it('follows, once it counts again, an undo of its link that was made while it did not count', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const link = async (name: string) => {
        const [row] = await tx<{ number: bigint }[]>`
          insert into decisions (item, file_id, line, kind, payment_key, basis, author, decided_on, decided_at, origin)
          select 'x', r.file_id, r.line, 'link', p.key, 'b', 'anna', '2026-11-22', now(), 'command'
          from settlement_records r, payments p where r.fingerprint = ${fingerprintOf(name)} and p.id = ${id32('p1')}
          returning number`;
        return row?.number ?? null;
      };
      const results = async () => {
        const rows = await tx<{ status: string; matched_by: string | null }[]>`
          select status, matched_by from record_matches order by line`;
        return rows.map(({ status, matched_by: by }) => (by === null ? status : `${status} ${by}`));
      };
      const unknown = recordsOf(table.replaceAll('p1', 'p9'));
      const arrives = (file: number) =>
        storeRecords(
          tx,
          file,
          unknown.filter((each) => each.file === file),
        );
      await payments(tx);
      await arrives(1);
      const linked = await link('a');
      await matchRun(tx, 1, asking);
      await arrives(2);
      const superseded = await decide(tx, 'supersede', 'b');
      await link('b');
      await matchRun(tx, 2, asking);
      expect(await results()).toEqual(['NOT_APPLICABLE MANUAL', 'MATCHED MANUAL']);
      await decide(tx, 'undo', 'a', linked);
      await matchRun(tx, 3, asking);
      await decide(tx, 'undo', 'b', superseded);
      await matchRun(tx, 4, asking);
      expect(await results()).toEqual(['NOT_MATCHED', 'MATCHED MANUAL']);
      expect(await booked(tx)).toEqual([0n]);
      await matchRange(tx, 5, undefined, asking);
      expect(await results()).toEqual(['NOT_MATCHED', 'MATCHED MANUAL']);
    }));

  describe('or its reversal, as one of another payment', () => {
    const replacing = { corrections: { test: 'replace' } } as const;
    /** `LINE of PAYMENT has the id of LINE, AMOUNT` of every record with an id in effect, and what else has money. */
    const inEffect = async (tx: Tx) => {
      const rows = await tx<{ text: string }[]>`
        select concat(l.line, ' of ', left(p.id, 2), ' has the id of ', first.line, ', ', b.amount_minor) as text
        from chargeback_links l join payments p on p.key = l.payment_key join payments b on b.id = l.booking_id
        join lateral (select line from chargeback_links f
          where f.chargeback_id = l.chargeback_id and f.kind = 'CHARGEBACK' order by f.line limit 1) first on true
        where l.active
        union all
        select concat('nobody has ', b.amount_minor) from payments b
        where b.payment_type in ('CB', 'CR') and b.amount_minor > 0
          and not exists (select from chargeback_links l where l.booking_id = b.id and l.active)
        order by 1`;
      return rows.map(({ text }) => text);
    };
    const withdraw = (tx: Tx, kind: string, file: number) =>
      tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
        values (${file}, ${kind}, 'r', 'anna', now())`;
    const twoPayments = (tx: Tx) =>
      storePayments(tx, paymentsOf('payment | amount | short\np1 | 60.00 | s1\np2 | 80.00 | s1'));

    it('a reversal leaves the chargeback of the first payment open, and waits for one of the second', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        await twoPayments(tx);
        const table = `
          record | file | kind       | unique | short | amount | tx
          a      | 1    | CHARGEBACK | p1     |       | 60.00  | C1
          b      | 2    | REVERSAL   |        | s1    | 60.00  | R1
          c      | 3    | REVERSAL   |        | s1    | 80.00  | R1`;
        const found = await deliver(tx, table, replacing);
        expect(found.map((each) => each.split(':')[0])).toEqual(['REVERSAL_WITHOUT_CHARGEBACK c/1']);
        expect(await inEffect(tx)).toEqual(['2 of p1 has the id of 2, 6000']);
        const chargeback = recordsOf(`${table}
          d      | 4    | CHARGEBACK | p2     |       | 80.00  | C2`).slice(-1);
        await storeRecords(tx, 4, chargeback);
        await matchRun(tx, 4, replacing);
        expect(await open(tx, recordsOf(table))).toEqual([]);
        const reversed = [
          '2 of p1 has the id of 2, 6000',
          '4 of p2 has the id of 5, 8000',
          '5 of p2 has the id of 5, 8000',
        ];
        expect(await inEffect(tx)).toEqual(reversed);
        await withdraw(tx, 'withdraw', 3);
        await matchRun(tx, 5, replacing);
        expect(await inEffect(tx)).toEqual([
          '2 of p1 has the id of 2, 6000',
          '3 of p1 has the id of 2, 6000',
          '5 of p2 has the id of 5, 8000',
        ]);
        await withdraw(tx, 'restore', 3);
        await matchRun(tx, 6, replacing);
        expect(await inEffect(tx)).toEqual(reversed);
      }));

    it('a chargeback takes its id along, and the reversal of the first payment waits until it returns', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        await twoPayments(tx);
        const table = `
          record | file | kind       | unique | short | amount | tx
          a      | 1    | CHARGEBACK |        | s1    | 60.00  | C1
          b      | 2    | REVERSAL   | p1     |       | 60.00  | R1
          c      | 3    | CHARGEBACK |        | s1    | 80.00  | C1
          d      | 4    | REVERSAL   | p2     |       | 80.00  | R2`;
        const waiting = async () =>
          (await open(tx, recordsOf(table)))
            .filter((each) => each.startsWith('REV'))
            .map((each) => each.slice(0, 31));
        await deliver(tx, table, replacing);
        const moved = ['4 of p2 has the id of 2, 8000', '5 of p2 has the id of 2, 8000'];
        expect(await inEffect(tx)).toEqual(moved);
        expect(await waiting()).toEqual(['REVERSAL_WITHOUT_CHARGEBACK b/1']);
        await withdraw(tx, 'withdraw', 3);
        await matchRun(tx, 5, replacing);
        expect(await inEffect(tx)).toEqual([
          '2 of p1 has the id of 2, 6000',
          '3 of p1 has the id of 2, 6000',
        ]);
        expect(await waiting()).toEqual(['REVERSAL_WITHOUT_CHARGEBACK d/1']);
        await withdraw(tx, 'restore', 3);
        await matchRun(tx, 6, replacing);
        expect(await inEffect(tx)).toEqual(moved);
        expect(await waiting()).toEqual(['REVERSAL_WITHOUT_CHARGEBACK b/1']);
      }));
  });

  describe('gets its id back when it counts again, though a third delivery has it', () => {
    const third = `${table}
      c | 3 | CHARGEBACK | p1 | 70.00 | C1`;
    const records = recordsOf(third);

    /** Lines with their ids, and what is booked. */
    const counting = async (tx: Tx, id: string | undefined) => {
      const active = (await links(tx)).filter((link) => link.active);
      return {
        lines: active.map((link) => `${link.line} ${link.id === id ? 'id of a' : 'own id'}`),
        booked: await booked(tx),
      };
    };

    it('because the third file repeats it, whether the file of the second is withdrawn or not', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        const settings = { corrections: { test: 'replace' } } as const;
        await payments(tx);
        for (const file of [1, 2, 3]) {
          const repeats = records
            .filter(({ name }) => name === 'a' && file === 3)
            .map((record) => ({ source: 'test', file, line: 90, record }));
          await storeRecords(
            tx,
            file,
            records.filter((record) => record.file === file),
            repeats,
          );
          await matchRun(tx, file, settings);
        }
        const id = (await links(tx))[0]?.id;
        const both = { lines: ['2 id of a', '4 own id'], booked: [7000n, 9000n] };
        expect(await counting(tx, id)).toEqual(both);
        await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
          values (2, 'withdraw', 'r', 'anna', now())`;
        await matchRun(tx, 4, settings);
        expect(await counting(tx, id)).toEqual(both);
      }));

    it('because somebody keeps it beside the second', () =>
      rolledBack(testDatabase.database.sql, async (tx) => {
        await payments(tx);
        await deliver(tx, third);
        const id = (await links(tx))[0]?.id;
        await decide(tx, 'supersede', 'b');
        await matchRun(tx, 4, asking);
        await decide(tx, 'supersede', 'c');
        await matchRun(tx, 5, asking);
        expect(await counting(tx, id)).toEqual({ lines: ['4 id of a'], booked: [7000n] });
        await decide(tx, 'keep-both', 'b');
        await matchRun(tx, 6, asking);
        expect(await counting(tx, id)).toEqual({ lines: ['2 id of a', '4 own id'], booked: [7000n, 9000n] });
      }));
  });

  it('leaves no trace on a withdrawn delivery that had it from another', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      await deliver(tx, table, { corrections: { test: 'replace' } });
      await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
        values (2, 'withdraw', 'r', 'anna', now())`;
      await matchRun(tx, 3, { corrections: { test: 'replace' } });
      const results = () =>
        tx<{ status: string }[]>`select file_id, status, matched_by from record_matches order by file_id`;
      const stored = [...(await results())];
      expect(stored.map(({ status }) => status)).toEqual(['MATCHED', 'NOT_APPLICABLE']);
      await matchRange(tx, 4, undefined, { corrections: { test: 'replace' } });
      expect([...(await results())]).toEqual(stored);
    }));

  it('has the id of the former at once where the source replaces', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      await deliver(tx, table, { corrections: { test: 'replace' } });
      expect((await links(tx)).map(({ active }) => active)).toEqual([false, true]);
      expect(await booked(tx)).toEqual([8000n]);
    }));
});

describe('several records of one key in a later file', () => {
  const cells = (found: readonly string[]) =>
    found.filter((each) => each.startsWith('RECORD')).map((each) => each.replace(/, S.*?(?= ->|$)/g, ''));

  it.each<[rule: string, table: string, expected: readonly string[]]>([
    [
      'first those of equal amount, wherever they stand',
      `record | file | unique | amount | tx | date
       a      | 1    | p1     | 40.00  | K1 | 2026-11-18
       b      | 1    | p1     | 60.00  | K1 | 2026-11-19
       c      | 2    | p1     | 60.00  | K1 | 2026-11-17
       d      | 2    | p1     | 45.00  | K1 | 2026-11-19`,
      [
        'RECORD_REDELIVERED c/1: SettlementDate 2026-11-19 -> SettlementDate 2026-11-17',
        'RECORD_REDELIVERED d/1: Amount 40.00 -> Amount 45.00',
      ],
    ],
    [
      'the others in the order of settlement dates',
      `record | file | unique | amount | tx | date
       a      | 1    | p1     | 40.00  | K1 | 2026-11-18
       b      | 1    | p1     | 60.00  | K1 | 2026-11-19
       c      | 2    | p1     | 61.00  | K1 | 2026-11-19
       d      | 2    | p1     | 41.00  | K1 | 2026-11-18`,
      [
        'RECORD_REDELIVERED c/1: Amount 60.00 -> Amount 61.00',
        'RECORD_REDELIVERED d/1: Amount 40.00 -> Amount 41.00',
      ],
    ],
    [
      'each with another one, even if an earlier file brought it',
      `record | file | unique | amount | tx | date
       a      | 1    | p1     | 40.00  | K1 | 2026-11-18
       b      | 2    | p1     | 60.00  | K1 | 2026-11-18
       c      | 3    | p1     | 61.00  | K1 | 2026-11-18
       d      | 3    | p1     | 41.00  | K1 | 2026-11-19`,
      [
        'RECORD_REDELIVERED c/1: Amount 60.00 -> Amount 61.00',
        'RECORD_REDELIVERED d/1: Amount 40.00 -> Amount 41.00',
      ],
    ],
    [
      'and what is left over with the last of them',
      `record | file | unique | amount | tx | date
       a      | 1    | p1     | 40.00  | K1 | 2026-11-18
       c      | 2    | p1     | 41.00  | K1 | 2026-11-18
       d      | 2    | p1     | 10.00  | K1 | 2026-11-19`,
      [
        'RECORD_REDELIVERED c/1: Amount 40.00 -> Amount 41.00',
        'RECORD_REDELIVERED d/1: Amount 40.00 -> Amount 10.00',
      ],
    ],
  ])('are compared: %s', (rule, table, expected) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await payments(tx);
      const records = recordsOf(table);
      const files = [...new Set(records.map(({ file }) => file))];
      for (const file of files) {
        // The order of the lines makes no difference.
        const own = records
          .filter((each) => each.file === file)
          .map((each) => ({ ...each, line: 90 - each.line }));
        await storeRecords(tx, file, own);
        await matchRun(tx, file, asking);
        if (rule.startsWith('each') && file === 2) {
          await decide(tx, 'keep-both', 'b');
          await matchRun(tx, 8, asking);
        }
      }
      const dates = (each: string) => each.replace(/(Amount \S+), SettlementDate \S+/g, '$1');
      expect(cells(await open(tx, records)).map(dates)).toEqual(expected);
    }),
  );
});

it('is a delivery of the source whose file still brings it, when the file of the first source is withdrawn', () =>
  rolledBack(testDatabase.database.sql, async (tx) => {
    await payments(tx);
    const [a, b] = recordsOf(corrected);
    if (a === undefined || b === undefined) throw new Error('the table has records');
    await storeRecords(tx, 1, [a]);
    await matchRun(tx, 1, asking);
    // Another source brings the row too, and corrects it later.
    await storeRecords(tx, 2, [], [{ source: 'other', file: 2, line: 2, record: a }]);
    await storeRecords(tx, 3, [{ ...b, source: 'other', file: 3 }]);
    await matchRun(tx, 2, asking);
    await matchRun(tx, 3, asking);
    expect(await uncounted(tx)).toEqual([]);
    await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
      values (1, 'withdraw', 'r', 'anna', now())`;
    await matchRun(tx, 4, asking);
    expect(await uncounted(tx)).toEqual(['REDELIVERED 3:3']);
    await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
      values (1, 'restore', 'r', 'anna', now())`;
    await matchRun(tx, 5, asking);
    expect(await uncounted(tx)).toEqual([]);
  }));

it('still replaces the record that it was compared with when somebody keeps another one later', () =>
  rolledBack(testDatabase.database.sql, async (tx) => {
    await payments(tx);
    const records = recordsOf(`
      record | file | unique | amount | tx
      a      | 1    | p1     | 90.00  | K1
      b      | 2    | p1     | 20.00  | K1
      c      | 3    | p1     | 80.00  | K1`);
    for (const record of records) {
      await storeRecords(tx, record.file, [record]);
      await matchRun(tx, record.file, asking);
    }
    await decide(tx, 'supersede', 'c');
    await matchRun(tx, 4, asking);
    expect(await uncounted(tx)).toEqual(['SUPERSEDED 1:2', 'REDELIVERED 2:3']);
    await decide(tx, 'keep-both', 'b');
    await matchRun(tx, 5, asking);
    expect(await uncounted(tx)).toEqual(['SUPERSEDED 1:2']);
    expect(await open(tx, records)).toEqual([]);
  }));
