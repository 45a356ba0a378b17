import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { holdWrites } from '../support/held-writes.js';
import { factsOf, prepareNight } from '../support/settlement-night.js';

/** Late enough that payments of the files are due. */
const asOf = '2026-11-25';

test('F93 a payment stored while matching runs is not reported as missing, and found by the next run', async () => {
  const own = await createTestDatabase();
  const night = prepareNight(own.url, asOf);
  const { sql } = own.database;
  try {
    expect((await night.importPayments()).code).toBe(0);
    expect((await night.runHere()).code).toBe(1);
    const baseline = await factsOf(sql);
    // One that a record settled, and that is due: without that record it would be reported as missing.
    const [late] = await sql<{ id: string; line: number; file: string }[]>`
      select p.id, m.line, f.name as file from payments p
      join record_matches m on m.payment_key = p.key and m.status = 'MATCHED'
      join settlement_records r using (file_id, line) join settlement_files f on f.id = m.file_id
      where p.requested_at < '2026-11-18' and p.payment_type = 'DB' and p.result_code = '000.000.000'
        and r.reconciliation_type = 'SETTLED'
        and not exists (select from record_matches o where o.payment_key = p.key and (o.file_id, o.line) <> (m.file_id, m.line))
        and not exists (select from match_candidates c where c.payment_key = p.key)
      order by p.id limit 1`;
    if (late === undefined) throw new Error('the fixtures hold no such payment');

    const second = await createTestDatabase();
    const again = prepareNight(second.url, asOf);
    const other = second.database.sql;
    try {
      expect((await again.importPayments()).code).toBe(0);
      await other`create table late as select * from payments where id = ${late.id}`;
      await other`delete from payments where id = ${late.id}`;
      const [stored] = await other<{ columns: string }[]>`
        select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
        where table_name = 'payments' and is_generated = 'NEVER'`;
      const columns = stored?.columns ?? '';
      const held = await holdWrites(second.url, 'record_matches');
      const run = again.run();
      await held.backend();
      await other.unsafe(
        `insert into payments (${columns}) overriding system value select ${columns} from late`,
      );
      await held.release();
      expect((await run).code).toBe(1);
      const reported = await other<{ code: string; message: string }[]>`
        select code, message from discrepancies where resolved_run is null and payment_key =
          (select key from payments where id = ${late.id})`;
      expect(reported).toEqual([]);
      expect([0, 1]).toContain((await again.run()).code);
      expect(await factsOf(other)).toEqual(baseline);
    } finally {
      await second.drop();
      again.end();
    }
  } finally {
    await own.drop();
    night.end();
  }
});
