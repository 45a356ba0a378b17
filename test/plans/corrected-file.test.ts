import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import type { RunScope } from '../../src/db/run-scope.js';
import { collected } from '../../src/listings/listing.js';
import { compareFiles } from '../../src/matching/deliveries/compare-files.js';
import { fileId, runId } from '../../src/values/ids.js';
import { matchScope, settings } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { databaseForAllTests } from '../support/database.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { storeLoadedFile } from './loaded-file.js';
import { recordPlans, statementsBeyond, type PlanRecorder } from './record-plans.js';

/**
 * A file that brings all records of an earlier one with other cells may not cost the product of the two: 20,000 records
 * took PostgreSQL 110 seconds, and `recon diff` of the two files 23 seconds. Rows are counted and not seconds, so a
 * busy machine changes nothing.
 */
const records = 1_500;
const asOf = '2026-11-20';

/** A row for each cell of each record; a join of everything with everything handles 2,250,000 rows. */
const mostRows = 50 * records;

const testDatabase = databaseForAllTests();
let recorder: PlanRecorder;

beforeAll(async () => {
  await testDatabase.database.sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    await storePayments(tx);
    await storeFile(tx, 1);
    await match(tx, { kind: 'run', runId: runId(1), asOf }, 1);
  });
  recorder = await recordPlans(testDatabase);
});

afterAll(() => recorder.end());

async function storePayments(tx: Tx): Promise<void> {
  await tx`
    insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id, requested_at)
    select lpad(n::text, 32, 'p'), 'DB', 'VISA', 10000, 'EUR', '000.000.000', lpad((n % 7)::text, 32, 'a'),
      '2026-11-18T10:00:00Z'
    from generate_series(1, ${records}) n`;
}

/** A file with a record for each payment; half of the amounts and all settlement amounts differ from file to file. */
async function storeFile(tx: Tx, file: number): Promise<void> {
  await storeLoadedFile(tx, file, records);
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, settlement_tx_id, unique_id,
      amount_minor, currency, brand, settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths,
      settlement_date, settlement_status, settlement_file_format, clearing_institute_name)
    select ${file}::int, 1 + n, md5(${`${file}:`} || n)::uuid, 1, 'SETTLED', 'DEBIT', 'POS', 'CI',
      lpad((n % 7)::text, 32, 'a'), lpad('', 32, 'b'), lpad('', 32, 'm'), 'tx-' || n, lpad(n::text, 32, 'p'),
      10000 + n % 2 * ${file}::int, 'EUR', 'VISA', 10000 + ${file}::int, 'EUR', 100, '2026-11-19', 'SUCCESS',
      'STANDARD', 'Acquirer'
    from generate_series(1, ${records}) n`;
}

/** Somebody decides about every record of a file. */
async function decide(tx: Tx, file: number, kind: 'supersede' | 'keep-both'): Promise<void> {
  await tx`
    insert into decisions (item, file_id, line, kind, basis, author, decided_on, decided_at, origin)
    select 'record:' || ${file}::int || ':' || line, file_id, line, ${kind}, '', 'finance', ${asOf}, now(), 'filter'
    from settlement_records where file_id = ${file}`;
}

/** Somebody takes back every decision about the records of a file. */
async function undo(tx: Tx, file: number): Promise<void> {
  await tx`
    insert into decisions (item, file_id, line, kind, refers_to, basis, author, decided_on, decided_at, origin)
    select item, file_id, line, 'undo', number, '', 'finance', ${asOf}, now(), 'filter'
    from decisions where file_id = ${file}`;
}

async function match(tx: Tx, scope: RunScope, run: number): Promise<void> {
  const asking = { ...settings, corrections: {}, runId: runId(run) };
  await matchScope(tx, scope, asking);
}

const day: RunScope = { kind: 'range', from: '2026-11-19', to: '2026-11-19', asOf };

/** Why records of a file do not count, with their number. */
async function uncounted(tx: Tx): Promise<unknown> {
  const rows = await tx<{ file: number; reason: string; count: number }[]>`
    select file_id as file, reason::text as reason, count(*)::int as count from uncounted_records
    group by 1, 2 order by 1, 2`;
  return rows.map((row) => ({ ...row }));
}

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it('a corrected file, decisions about it and a third one are compared in proportion to their records', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      await storeFile(tx, 2);
      await bounded(tx, () => match(tx, { kind: 'run', runId: runId(2), asOf }, 2));
      expect(await uncounted(tx)).toEqual([{ file: 2, reason: 'REDELIVERED', count: records }]);
      await decide(tx, 2, 'supersede');
      await undo(tx, 2);
      await decide(tx, 2, 'keep-both');
      await bounded(tx, () => match(tx, day, 3));
      expect(await uncounted(tx)).toEqual([]);
      await storeFile(tx, 4);
      await decide(tx, 4, 'supersede');
      await bounded(tx, () => match(tx, { kind: 'run', runId: runId(4), asOf }, 4));
      expect(await uncounted(tx)).toEqual([{ file: 2, reason: 'SUPERSEDED', count: records }]);
    });
  });

  it('two files are compared in proportion to their records', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      await storeFile(tx, 2);
      const differences = await bounded(tx, () =>
        compareFiles(tx, fileId(1), fileId(2), (compared) => collected(compared.differences)),
      );
      expect(differences.map((difference) => difference.kind)).toEqual(new Array(records).fill('changed'));
    });
  });
});

async function bounded<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  const { result, beyond } = await statementsBeyond(recorder, tx, { mostRows, work });
  expect(beyond).toEqual([]);
  return result;
}
