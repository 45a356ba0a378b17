import type { Tx } from '../db/client.js';
import { isDivided } from '../db/shards/is-divided.js';
import type { LineIssue } from './check-payment-row.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { paymentColumns, writtenValue } from './payment-columns.js';
import { updateOnShards } from './payments-on-shards.js';

/** Why a value of a stored payment changes, or why it must not (design 5). */
export type ChangeKind = 'FILLED' | 'RESULT' | 'CONTRADICTION';

/** A value in a file that differs from the stored payment. Both values in the format of the file. */
export interface PaymentChange {
  readonly line: number;
  readonly paymentId: string;
  /** The column of the payments file. */
  readonly column: string;
  readonly kind: ChangeKind;
  /** Null if there was none. */
  readonly stored: string | null;
  readonly given: string;
}

/** The differences between a file and the stored payments. */
export interface PaymentChanges {
  /** How many payments differ. */
  readonly payments: number;
  /** How many values changed, by kind of change. */
  readonly values: Readonly<Record<ChangeKind, number>>;
  /** The first differences, contradictions first, in the order of lines and columns. */
  readonly listed: readonly PaymentChange[];
}

/** Of an import that only added payments. */
export const noChanges: PaymentChanges = {
  payments: 0,
  values: { FILLED: 0, RESULT: 0, CONTRADICTION: 0 },
  listed: [],
};

/**
 * How many changes a result lists. Any number may change; the list is for people, the table `payment_changes` holds
 * all.
 */
const mostListed = 1_000;

const found = 'import_changes';
const [, ...changeable] = paymentColumns;

/** An empty value says nothing about a payment, so it never differs. */
const differs = changeable
  .map(({ stored }) => `(s.${stored} is not null and s.${stored} is distinct from p.${stored})`)
  .join(' or ');

/**
 * Compares the staged rows with the stored payments, value by value, and keeps the differences for
 * `applyChanges`. The rule is that of design 5: an empty value may be filled in, and a result code may change
 * from pending to a success or a failure. Every other difference is a contradiction.
 *
 * @param staging the table of rows: line number and the columns of `payments`
 * @param stored the table with the stored payments, and whether nobody else can change them now
 */
export async function findChanges(
  tx: Tx,
  staging: string,
  stored: { readonly table: string; readonly areLocked: boolean },
): Promise<PaymentChanges> {
  // Lock the compared rows until they are written, in the order of ids, so that two imports cannot deadlock.
  const lock = stored.areLocked ? '' : 'order by p.id for update of p';
  const [differing] = await tx.unsafe<{ count: number }[]>(`
    select count(*)::int as count from (
      select from ${staging} s join ${stored.table} p on p.id = s.id where ${differs} ${lock}
    ) differing`);
  if ((differing?.count ?? 0) === 0) return noChanges;
  const values = changeable.map(
    ({ name, stored }, position) =>
      `(${position}, '${name}', ${writtenValue(stored, 'p')}, ${writtenValue(stored, 's')})`,
  );
  await tx.unsafe(`
    create temp table ${found} on commit drop as
    select s.line, s.id, v.position, v.name, v.stored, v.given,
      case when v.stored is null then 'FILLED'
        when v.name = 'ResultCode' and v.stored like '000.200.%' and v.given not like '000.200.%' then 'RESULT'
        else 'CONTRADICTION' end as kind
    from (select distinct on (id) * from ${staging} order by id, line) s
    join ${stored.table} p on p.id = s.id and (${differs})
    cross join lateral (values ${values.join(', ')}) v (position, name, stored, given)
    where v.given is not null and v.given is distinct from v.stored`);
  return summarize(tx);
}

async function summarize(tx: Tx): Promise<PaymentChanges> {
  const counted = await tx.unsafe<{ kind: ChangeKind; count: number }[]>(
    `select kind, count(*)::int as count from ${found} group by kind`,
  );
  const [payments] = await tx.unsafe<{ count: number }[]>(
    `select count(distinct id)::int as count from ${found}`,
  );
  const listed = await tx.unsafe<PaymentChange[]>(`
    select line, id as "paymentId", name as "column", kind, stored, given from ${found}
    order by kind <> 'CONTRADICTION', line, position limit ${mostListed}`);
  return {
    payments: payments?.count ?? 0,
    values: {
      ...noChanges.values,
      ...Object.fromEntries(counted.map(({ kind, count }) => [kind, count])),
    },
    listed: listed.map((change) => ({
      ...change,
      stored: change.stored === null ? null : maskCardNumbers(change.stored),
      given: maskCardNumbers(change.given),
    })),
  };
}

/**
 * The lines that name a chargeback or reversal that recon booked (CB, CR). No file may change one, because links, ids
 * and sums depend on it. The format does not include these types, so each such line also contradicts the stored type.
 *
 * @param changes what `findChanges` found
 */
export async function findBookedChargebacks(tx: Tx, { values }: PaymentChanges): Promise<LineIssue[]> {
  if (values.CONTRADICTION === 0) return [];
  const lines = await tx.unsafe<{ line: number }[]>(
    `select line from ${found} where name = 'PaymentType' and stored in ('CB', 'CR') order by line`,
  );
  return lines.map(({ line }) => ({
    line,
    column: 'PaymentId',
    message: 'is the id of a chargeback or reversal that recon booked, which an import cannot change',
  }));
}

/** Writes what `findChanges` found into the payments, and keeps each old value with the file that replaced it. */
export async function applyChanges(
  tx: Tx,
  staging: string,
  file: { readonly name: string; readonly sha256: string },
): Promise<void> {
  const rows = `select distinct on (id) * from ${staging} where id in (select id from ${found}) order by id, line`;
  if (await isDivided(tx)) await updateOnShards(tx, rows);
  else {
    const given = changeable.map(({ stored }) => `${stored} = coalesce(s.${stored}, p.${stored})`).join(', ');
    await tx.unsafe(`update payments p set ${given} from (${rows}) s where p.id = s.id`);
  }
  await tx.unsafe(
    `insert into payment_changes
       (payment_id, column_name, kind, old_value, new_value, file_name, file_sha256, line)
     select id, name, kind::payment_change_kind, stored, given, $1, $2, line
     from ${found} order by line, position`,
    [maskCardNumbers(file.name), file.sha256],
  );
}
