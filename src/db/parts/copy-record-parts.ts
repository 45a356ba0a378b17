import type { Sql, Tx } from '../client.js';
import { addPart, partColumns, type RecordPart } from './record-parts.js';

/** The tables of records: `settlement_records_N`, attached as parts or retired. */
interface RecordTable {
  readonly name: string;
  readonly attached: boolean;
}

const recordTables = (sql: Sql | Tx) => sql<RecordTable[]>`
  select c.relname as name, exists (select from pg_inherits i where i.inhrelid = c.oid) as attached
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind = 'r' and c.relname ~ '^settlement_records_\\d+$' order by c.relname`;

const partRows = (sql: Sql | Tx) => sql<(RecordPart & { month: string })[]>`
  select ${partColumns(sql)}, month::text as month
  from record_parts order by first_file_id`;

/**
 * Gives the new database the same parts of `settlement_records` as the old one, without their rows. Parts are made
 * while files are loaded, so migrations know only the first.
 */
export async function copyRecordParts(source: Tx, target: Sql): Promise<void> {
  const [wanted, present] = [await recordTables(source), await recordTables(target)];
  const [rows, presentRows] = [await partRows(source), await partRows(target)];
  if (JSON.stringify([wanted, rows]) === JSON.stringify([present, presentRows])) return;
  await target.begin(async (tx) => {
    for (const { name, attached } of present) {
      if (attached) await tx`alter table settlement_records detach partition ${tx(name)}`;
      await tx`drop table ${tx(name)}`;
    }
    await tx`alter table record_parts disable trigger user`;
    await tx`delete from record_parts`;
    for (const { firstFileId, endFileId, ownFile, month } of rows) {
      await tx`insert into record_parts (first_file_id, end_file_id, own_file, month)
        values (${firstFileId}, ${endFileId}, ${ownFile}, ${month})`;
    }
    await tx`alter table record_parts enable trigger user`;
    for (const { name, attached } of wanted) {
      const part = rows.find(({ firstFileId }) => name === `settlement_records_${firstFileId}`);
      if (attached && part !== undefined) await addPart(tx, part);
      else await tx`create table ${tx(name)} (like settlement_records including indexes)`;
    }
  });
}
