import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../src/db/client.js';
import { databaseForAllTests } from '../support/database.js';
import { matchRun } from './findings.js';
import { id32, payment, record, rolledBack, storePayments, storeRecords } from './scenario.js';

const testDatabase = databaseForAllTests();
let sql: Sql;
const sent: string[] = [];

beforeAll(() => {
  // Options that were parsed already are taken as they are; the driver's type knows unparsed ones only.
  sql = postgres({
    ...testDatabase.database.sql.options,
    max: 1,
    debug: (_connection: number, text: string) => sent.push(text),
  } as never) as unknown as Sql;
});

afterAll(() => sql.end());

/** The question reads all files, of which there may be tens of thousands. */
test.each([
  ['none', 'loaded'],
  ['some', 'retired'],
])('a run asks once whether records were removed: %s were', (_, status) =>
  rolledBack(sql, async (tx) => {
    await storePayments(tx, [payment('p1')]);
    const of = { uniqueId: id32('p1'), settlementTxId: 'tx' };
    const chargeback = { ...of, reconciliationType: 'CHARGEBACK' };
    await storeRecords(tx, 1, [record('first', of), record('chargeback', { ...chargeback, line: 3 })]);
    await matchRun(tx, 1, { corrections: {} });
    await tx`update settlement_files set status = ${status}`;
    await storeRecords(tx, 2, [
      record('second', { ...of, file: 2, amount: 1n }),
      record('repeat', { ...chargeback, file: 2, line: 3, amount: 1n }),
      record('reversal', { ...of, file: 2, line: 4, reconciliationType: 'CHARGEBACK REVERSAL' }),
    ]);
    sent.length = 0;
    await matchRun(tx, 2, { corrections: {} });
    expect(sent.filter((text) => /from settlement_files where status = 'retired'\)/.test(text))).toHaveLength(
      1,
    );
  }),
);
