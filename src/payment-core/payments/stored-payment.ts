import type { Sql, Tx } from '../../db/client.js';
import { readTogetherOn, type SharedRead } from '../../db/read-together.js';
import { mayAccess, type Caller, type CoreContext } from '../core/core-context.js';
import type { Environment } from '../fields/request-kinds.js';
import type { StoredPayment } from './payment-content.js';
import {
  paymentDocument,
  paymentOf,
  paymentTexts,
  readPayment,
  selectPayment,
  type PaymentDocument,
  type PaymentRow,
} from './payment-document.js';

/** The payments with these ids that the caller may see in the core's environment, in no particular order. */
async function findPayments(
  context: CoreContext,
  sql: Sql | Tx,
  ids: readonly string[],
  caller: Caller,
): Promise<StoredPayment[]> {
  const rows = await sql<PaymentRow[]>`
    select ${selectPayment(sql)}
    from payments p left join payment_details d on d.payment_key = p.key
    -- An array, because the planner expects a hundred rows of a set and then reads the whole table.
    where p.id = any (array(select jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb) collate "C"))
      and ${isVisible(sql, context, caller)}`;
  return rows.map(readPayment);
}

/** A read of one payment. */
interface PaymentRead {
  readonly environment: Environment;
  readonly id: string;
}

const fromPayments = 'from payments p left join payment_details d on d.payment_key = p.key';

/** Payments by their ids; undefined for those that do not exist. */
const paymentReads: SharedRead<PaymentRead, StoredPayment | undefined> = {
  name: 'payments',
  value: (given) => `(
    select json_agg(${paymentDocument}) ${fromPayments}
    where p.id = any (array(select jsonb_array_elements_text(${given}::jsonb) collate "C")))`,
  given: (reads) => JSON.stringify([...new Set(reads.map(({ id }) => id))]),
  results: (value, reads) => {
    // The statement above builds the list.
    const found = (value ?? []) as readonly PaymentDocument[];
    const byId = new Map(found.map((document) => [document.id, document]));
    return reads.map((read) => seenBy(read, byId.get(read.id)));
  },
  one: {
    query: (given, columns) => `select ${columns} ${fromPayments} where p.id = ${given} collate "C"`,
    columns: paymentTexts,
    given: ({ id }) => id,
    // `columns` are those of a document.
    result: (row, read) => seenBy(read, row as PaymentDocument | undefined),
  },
};

/** Imported payments belong to both environments. */
function seenBy({ environment }: PaymentRead, document?: PaymentDocument): StoredPayment | undefined {
  if (document === undefined) return undefined;
  return (document.environment ?? environment) === environment ? paymentOf(document) : undefined;
}

/**
 * The same as `findStoredPayment` outside a transaction. Requests of the same moment share a statement, whoever their
 * callers are, so what a caller may see is decided here instead of by the statement.
 */
export async function readStoredPayment(
  { environment, sql }: CoreContext,
  id: string,
  caller: Caller,
): Promise<StoredPayment | undefined> {
  const payment = await readTogetherOn(sql)(paymentReads, { environment, id });
  return payment !== undefined && mayAccess(caller, payment.entityId) ? payment : undefined;
}

/** The payment with this id, if the caller may see it. */
export async function findStoredPayment(
  context: CoreContext,
  sql: Sql | Tx,
  id: string,
  caller: Caller,
): Promise<StoredPayment | undefined> {
  const [found] = await findPayments(context, sql, [id], caller);
  return found;
}

/** A condition: belongs to this environment (imported payments belong to both) and to the caller's entities. */
export function isVisible(sql: Sql | Tx, context: CoreContext, caller: Caller) {
  const entities = caller.entityIds === undefined ? null : JSON.stringify(caller.entityIds);
  return sql`coalesce(d.environment, ${context.environment}::text) = ${context.environment}::text
    and (${entities}::text is null
      or p.entity_id in (select jsonb_array_elements_text(${entities}::text::jsonb) collate "C"))`;
}
