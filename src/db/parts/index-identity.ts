import postgres from 'postgres';
import type { Tx } from '../client.js';

/**
 * Creates the unique index on the identity of the records (design 4.3) in the table of one large file, whose records
 * all have occurrence 1. If the file holds identical twins, they are numbered by line first. Staging and copying the
 * whole file again instead took as long as loading it (250,000 rows: 3 s).
 *
 * @param possibleTwins the fingerprints that may occur twice. If that is not known (null), only a failed attempt shows
 *   that there are twins
 */
export async function indexIdentity(
  tx: Tx,
  table: string,
  possibleTwins: readonly string[] | null,
): Promise<void> {
  if (possibleTwins !== null && possibleTwins.length > 0) {
    await numberTwins(tx, table, tx`= any (${possibleTwins}::uuid[])`);
  }
  const create = (within: Tx) => within`
    create unique index ${within(`${table}_identity`)} on ${within(table)} (settlement_date, fingerprint, occurrence)`;
  try {
    await tx.savepoint(create);
  } catch (thrown) {
    if (!isIdentityViolation(thrown)) throw thrown;
    await numberTwins(
      tx,
      table,
      tx`in (select fingerprint from ${tx(table)} group by fingerprint having count(*) > 1)`,
    );
    await create(tx);
  }
}

/** Whether two records of one part have the same identity. */
export function isIdentityViolation(thrown: unknown): boolean {
  if (!(thrown instanceof postgres.PostgresError) || thrown.code !== '23505') return false;
  // A shard names the constraint only in its message.
  const constraint = thrown.constraint_name ?? /"(\w+)"$/.exec(thrown.message)?.[1] ?? '';
  return /^settlement_records_\d+_identity$/.test(constraint);
}

/**
 * Numbers identical twins in the order of their lines. Only the second and later ones are written.
 *
 * They are listed first, because nothing is known about the values of a new table: as one statement, the planner
 * expected that half of the rows are twins, and hashed 1,000,000 rows to find 300 (0.3 s).
 */
async function numberTwins(tx: Tx, table: string, amongTwins: ReturnType<Tx>): Promise<void> {
  await tx`
    create temp table later_twins on commit drop as
    select row_id, occurrence from (
      select ctid as row_id, row_number() over (partition by fingerprint order by line)::integer as occurrence
      from ${tx(table)} where fingerprint ${amongTwins}
    ) n
    where occurrence > 1`;
  await tx`update ${tx(table)} r set occurrence = n.occurrence from pg_temp.later_twins n where r.ctid = n.row_id`;
  await tx`drop table pg_temp.later_twins`;
}
