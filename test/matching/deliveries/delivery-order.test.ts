import { describe, expect, it } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { databaseForAllTests } from '../../support/database.js';
import { matchRun, openFindings } from '../findings.js';
import { fingerprintOf, rolledBack, storePayments, storeRecords } from '../scenario.js';
import { paymentsOf, recordsOf } from '../table.js';

const testDatabase = databaseForAllTests();

interface Story {
  readonly story: string;
  readonly table: string;
  /** The records that later files bring again unchanged: `name file`. */
  readonly repeats?: readonly string[];
  /** What happens once all files have arrived, in one run each, and what is open after that run. */
  readonly then: readonly (readonly [act: string, ...open: string[]])[];
}

const stories: readonly Story[] = [
  {
    story: 'is the order of the files that bring the records and are not withdrawn',
    table: `
      record | file | unique | amount | tx
      a      | 1    | p1     | 90.00  | K1
      b      | 2    | p1     | 100.00 | K1
      z      | 3    | p2     | 100.00 | K9`,
    repeats: ['a 3'],
    then: [
      ['nothing', 'AMOUNT_MISMATCH a', 'RECORD_REDELIVERED b'],
      ['withdraw 1', 'RECORD_REDELIVERED a'],
      ['restore 1', 'AMOUNT_MISMATCH a', 'RECORD_REDELIVERED b'],
    ],
  },
  {
    story: 'may part two records of one file that is withdrawn: other files bring each of them',
    table: `
      record | file | unique | amount | tx
      a      | 1    | p1     | 60.00  | K1
      b      | 1    | p1     | 40.00  | K1
      y      | 2    | p2     | 100.00 | K8
      z      | 3    | p2     | 100.00 | K9`,
    repeats: ['a 2', 'b 3'],
    then: [
      ['nothing', 'DUPLICATE_SETTLEMENT z'],
      ['withdraw 1', 'AMOUNT_MISMATCH a', 'RECORD_REDELIVERED b', 'DUPLICATE_SETTLEMENT z'],
      ['restore 1', 'DUPLICATE_SETTLEMENT z'],
    ],
  },
  {
    story: 'may part two such records that no payment has',
    table: `
      record | file | short | amount | tx
      a      | 1    | s9    | 60.00  | K1
      b      | 1    | s9    | 40.00  | K1
      y      | 2    | s2    | 100.00 | K8
      z      | 3    | s2    | 100.00 | K9`,
    repeats: ['a 2', 'b 3'],
    then: [
      ['nothing', 'NOT_MATCHED a', 'NOT_MATCHED b', 'DUPLICATE_SETTLEMENT z'],
      ['withdraw 1', 'NOT_MATCHED a', 'NOT_MATCHED b', 'RECORD_REDELIVERED b', 'DUPLICATE_SETTLEMENT z'],
      ['restore 1', 'NOT_MATCHED a', 'NOT_MATCHED b', 'DUPLICATE_SETTLEMENT z'],
    ],
  },
  {
    story: 'leaves both deliveries of a payment to its sum, once somebody keeps both',
    table: `
      record | file | unique | amount | tx
      a      | 1    | p1     | 100.00 | K1
      b      | 2    | p1     | 100.00 | K1`,
    then: [
      ['nothing', 'RECORD_REDELIVERED b'],
      // By fingerprint the later record stands first.
      ['keep-both b', 'DUPLICATE_SETTLEMENT a'],
    ],
  },
];

describe('the order of deliveries', () => {
  it.each(stories)('$story', ({ table, repeats = [], then }) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment | short\np1 | s1\np2 | s2'));
      const records = recordsOf(table);
      const files = [...new Set(records.map(({ file }) => file))];
      for (const file of files) {
        await storeRecords(
          tx,
          file,
          records.filter((each) => each.file === file),
          records
            .filter(({ name }) => repeats.includes(`${name} ${file}`))
            .map((record) => ({ source: 'test', file, line: 90, record })),
        );
        await matchRun(tx, file, { corrections: {} });
      }
      const names = new Map(records.map((each) => [fingerprintOf(each.name), each.name]));
      for (const [after, [act, ...expected]] of then.entries()) {
        await perform(tx, act);
        await matchRun(tx, files.length + after + 1, { corrections: {} });
        const found = (await openFindings(tx, names))
          .filter(({ code }) => code !== 'MISSING_SETTLEMENT')
          .map(({ code, subject }) => `${code} ${subject.replace(/p1\/1/, 'a').replace(/\/1$/, '')}`);
        expect([act, ...found.sort()]).toEqual([act, ...expected.sort()]);
      }
    }),
  );
});

async function perform(tx: Tx, act: string): Promise<void> {
  const [kind = '', subject = ''] = act.split(' ');
  if (kind === 'keep-both')
    await tx`
      insert into decisions (item, file_id, line, kind, basis, author, decided_on, decided_at, origin)
      select 'x', file_id, line, ${kind}, 'b', 'anna', '2026-11-22', now(), 'command'
      from settlement_records where fingerprint = ${fingerprintOf(subject)}`;
  else if (kind !== 'nothing')
    await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
      values (${subject}, ${kind}, 'r', 'anna', now())`;
}
