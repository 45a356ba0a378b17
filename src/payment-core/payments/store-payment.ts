import type { Fragment, Sql, Tx } from '../../db/client.js';
import { insertionOfEvents } from '../events/record-events.js';
import { insertionOfRegistration } from '../stored-registrations/store-registration.js';
import {
  detailsColumns,
  detailsRow,
  paymentRowColumns,
  paymentRow,
  type PaymentWrites,
} from './payment-rows.js';
import { isAlone, storeAlone } from './store-one-payment.js';

/**
 * Stores payments, their details and their notifications in one statement, because a round trip costs more than what
 * the statement does. A payment whose id exists is skipped, so the statement can be sent again when its answer was
 * lost. The values travel as JSON documents whose names are those of the columns.
 *
 * @param known what happens to one whose id exists. Shards have no key that a statement could name, so they can only
 *   refuse it.
 */
export async function storePayments(
  sql: Sql | Tx,
  all: readonly PaymentWrites[],
  known: 'skip' | 'refuse' = 'skip',
): Promise<void> {
  const payments = insertionOfPayments(sql, all, sql`true`, known);
  await sql`
    with stored as (${payments}), details as (${insertionOfDetails(sql, all)})
    ${insertionOfAllEvents(sql, all)}`;
}

/**
 * `storePayments` in the form that `Together` takes. Stores only payments whose permission is valid at that moment.
 *
 * @returns for each payment whether it was permitted
 */
export async function storeTogether(sql: Sql, all: readonly PaymentWrites[]): Promise<readonly boolean[]> {
  const [only] = all;
  if (only !== undefined && all.length === 1 && isAlone(only)) return [await storeAlone(sql, only)];
  const permissions = all.flatMap(({ permission }) => permission ?? []);
  const [first] = permissions;
  if (first === undefined) {
    await storePayments(sql, all);
    return all.map(() => true);
  }
  const isPermitted = sql`given.permission is null or given.permission in (select key from valid)`;
  const rows = await sql<{ key: string }[]>`
    with valid (key) as materialized (${first.validKeys(sql, permissions)}),
      stored as (${insertionOfPayments(sql, all, isPermitted)}), details as (${insertionOfDetails(sql, all)}),
      events as (${insertionOfAllEvents(sql, all)})
    select key from valid`;
  const valid = new Set(rows.map(({ key }) => key));
  return all.map(({ permission }) => permission === undefined || valid.has(permission.key));
}

function insertionOfAllEvents(sql: Sql | Tx, all: readonly PaymentWrites[]) {
  const events = all.flatMap((writes) => writes.events);
  return insertionOfEvents(sql, events, sql`exists (select from stored where id = event ->> 'resourceId')`);
}

/** Stores a payment, its details, its registration and its notifications in one statement, like `storePayments`. */
export async function storePayment(sql: Sql | Tx, writes: PaymentWrites): Promise<void> {
  const { environment, registration, events } = writes;
  if (registration === null) return storePayments(sql, [writes]);
  const isStored = sql`exists (select from stored)`;
  await sql`
    with stored as (${insertionOfPayments(sql, [writes], sql`true`)}), details as (${insertionOfDetails(sql, [writes])}),
      registration as (${insertionOfRegistration(environment, sql, registration, isStored)})
    ${insertionOfEvents(sql, events, isStored)}`;
}

const listOf = (columns: Readonly<Record<string, string>>, prefix = '') =>
  Object.keys(columns)
    .map((name) => `${prefix}${name}`)
    .join(', ');
const definitionOf = (columns: Readonly<Record<string, string>>) =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');

const toPayments = `insert into payments (${listOf(paymentRowColumns)}) select ${listOf(paymentRowColumns, 'given.')}`;
const givenPayments = `given (permission text, ${definitionOf(paymentRowColumns)})`;
const toDetails = `insert into payment_details (payment_key, ${listOf(detailsColumns)})
    select stored.key, ${listOf(detailsColumns, 'given.')}`;
const givenDetails = `given (id text, ${definitionOf(detailsColumns)})`;

function insertionOfPayments(
  sql: Sql | Tx,
  all: readonly PaymentWrites[],
  condition: Fragment,
  known: 'skip' | 'refuse' = 'skip',
) {
  const rows = JSON.stringify(
    all.map(({ payment, permission }) => ({ permission: permission?.key, ...paymentRow(payment) })),
  );
  return sql`
    ${sql.unsafe(toPayments)} from jsonb_to_recordset(${rows}::text::jsonb) as ${sql.unsafe(givenPayments)}
    where ${condition}
    ${known === 'skip' ? sql`on conflict (id) do nothing` : sql``}
    returning key, id`;
}

function insertionOfDetails(sql: Sql | Tx, all: readonly PaymentWrites[]) {
  const rows = JSON.stringify(all.map((one) => ({ id: one.payment.id, ...detailsRow(one) })));
  return sql`
    ${sql.unsafe(toDetails)}
    from stored join jsonb_to_recordset(${rows}::text::jsonb) as ${sql.unsafe(givenDetails)} on given.id = stored.id`;
}
