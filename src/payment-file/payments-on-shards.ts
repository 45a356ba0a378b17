import type { Tx } from '../db/client.js';
import { inNumberedBatches } from '../db/shards/in-numbered-batches.js';
import { askShards, awaitAnswers, readAnswers, statementText } from '../db/shards/on-shards.js';
import { paymentColumns } from './payment-columns.js';

const knownPayments = 'known_payments';
const [, ...changeable] = paymentColumns;

/**
 * With shards, the stored payments with the ids of the file, as a table of this transaction: otherwise, the home server
 * would fetch all payments to compare them with the rows of the file. Nobody else stores or changes payments before the
 * transaction ends, because it has entered the shards.
 *
 * @param staging the table of rows, with the column `id`
 * @returns the name of the table
 */
export async function copyKnownPayments(tx: Tx, staging: string): Promise<string> {
  await tx.unsafe(`
    create temp table imported_ids on commit drop as
    select id, row_number() over (order by id) as number from (select distinct id from ${staging}) s`);
  const query = tx`select p.* from payments p where p.id in (select id from imported_ids)`;
  const text = await statementText(tx, query);
  await tx`create temp table ${tx(knownPayments)} on commit drop as ${query} with no data`;
  // A first import can be of millions.
  if (!(await areStored(tx))) return knownPayments;
  await inNumberedBatches(tx, 'imported_ids', async (batch) => {
    const rows = tx`select id from imported_ids where ${batch}`;
    await askShards(tx, {
      inputs: [{ name: 'imported_ids', columns: 'id text collate "C"', rows }],
      answer: `select t::text from (${text}) t`,
    });
    await readAnswers(tx, knownPayments);
  });
  await tx`analyze ${tx(knownPayments)}`;
  return knownPayments;
}

async function areStored(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ any: boolean }[]>`select exists (select from payments) as any`;
  return row?.any ?? true;
}

/**
 * Writes the rows of a file into stored payments on the shards, without changing a value where a row has none. Through
 * the foreign tables, each payment would be a separate statement.
 *
 * @param rows selects one row of the file for each payment that changes, with the columns of `payments`
 */
export async function updateOnShards(tx: Tx, rows: string): Promise<void> {
  const values = changeable.map(({ stored }) => `'${stored}', s.${stored}`).join(', ');
  await tx.unsafe(`
    create temp table changed_payments on commit drop as
    select s.id, row_number() over (order by s.id) as number, json_strip_nulls(json_build_object(${values})) as given
    from (${rows}) s`);
  const columns = changeable.map(({ stored, type }) => `${stored} ${type}`).join(', ');
  const set = changeable.map(({ stored }) => `${stored} = coalesce(s.${stored}, p.${stored})`).join(', ');
  await inNumberedBatches(tx, 'changed_payments', async (batch) => {
    await askShards(tx, {
      inputs: [
        {
          name: 'changed_payments',
          columns: 'id text collate "C", given json',
          rows: tx`select id, given from changed_payments where ${batch}`,
        },
      ],
      step: `update payments p set ${set}
        from (select c.id, v.* from changed_payments c cross join lateral json_to_record(c.given) as v (${columns})) s
        where p.id = s.id`,
      answer: `select ''::text where false`,
    });
    await awaitAnswers(tx);
  });
}
