import type { Sql, Tx } from '../../db/client.js';
import { readTogetherOn, type SharedRead } from '../../db/read-together.js';
import { mayAccess, type Caller, type CoreContext } from '../core/core-context.js';
import type { Environment } from '../fields/request-kinds.js';
import type { Parameters } from '../fields/parameters.js';
import type { ConnectorAnswer } from '../connectors/connector.js';

/** A payment as it is stored. `details` is null for imported payments and booked chargebacks. */
export interface PaymentContent {
  readonly id: string;
  readonly shortId: string | null;
  readonly paymentType: string;
  readonly paymentBrand: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly resultCode: string;
  readonly merchantTransactionId: string | null;
  readonly merchantInvoiceId: string | null;
  readonly entityId: string | null;
  readonly connectorTxIds: readonly string[];
  readonly accountNumberLast4: string | null;
  /** ISO text in UTC. */
  readonly requestedAt: string;
  readonly referencedPaymentId: string | null;
  readonly details: PaymentDetails | null;
}

/** A payment that was read. */
export interface StoredPayment extends PaymentContent {
  /** The number of its row. */
  readonly key: string;
}

export interface PaymentDetails {
  readonly connector: string;
  readonly paymentMethod: string | null;
  readonly parameters: Parameters;
  readonly answer: ConnectorAnswer;
  readonly registrationId: string | null;
  readonly registrationCreated: boolean;
  readonly checkoutId: string | null;
  readonly industryPractice: string | null;
  readonly numberOfCaptures: number | null;
  readonly sequence: string | null;
  readonly cardBin: string | null;
  readonly cardLast4: string | null;
  readonly ndc: string;
}

/** The columns of a stored payment as one JSON document, so that the type settings of a client do not matter. */
const columns = `json_build_object(
  'key', p.key::text, 'id', p.id, 'shortId', p.short_id, 'paymentType', p.payment_type,
  'paymentBrand', p.payment_brand, 'amountMinor', p.amount_minor::text, 'currency', p.currency,
  'resultCode', p.result_code, 'merchantTransactionId', p.merchant_transaction_id,
  'merchantInvoiceId', p.merchant_invoice_id, 'entityId', p.entity_id,
  'connectorTxIds', to_jsonb(array_remove(array[p.connector_tx_id1, p.connector_tx_id2, p.connector_tx_id3], null)),
  'accountNumberLast4', p.account_number_last4,
  'requestedAt', to_char(p.requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'referencedPaymentId', p.referenced_payment_id,
  'details', case when d.payment_key is null then null else json_build_object(
    'connector', d.connector, 'paymentMethod', d.payment_method, 'parameters', d.parameters,
    'answer', d.answer, 'registrationId', d.registration_id, 'registrationCreated', d.registration_created,
    'checkoutId', d.checkout_id, 'industryPractice', d.industry_practice,
    'numberOfCaptures', d.number_of_captures, 'sequence', d.sequence, 'cardBin', d.card_bin,
    'cardLast4', d.card_last4, 'ndc', d.ndc) end)`;

/** Use: `select ${selectPayment(sql)} from payments p left join payment_details d on …`. */
export function selectPayment(sql: Sql | Tx) {
  return sql.unsafe(`${columns}::text as payment`);
}

export interface PaymentRow {
  readonly payment: string;
}

/** A payment as `columns` builds it. Only the amount needs conversion. */
type PaymentDocument = Omit<StoredPayment, 'amountMinor'> & { readonly amountMinor: string };

export function readPayment(row: PaymentRow): StoredPayment {
  return paymentOf(JSON.parse(row.payment) as PaymentDocument);
}

function paymentOf(document: PaymentDocument): StoredPayment {
  return Object.assign(document, { amountMinor: BigInt(document.amountMinor) });
}

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

interface FoundPayment {
  /** Null for an imported payment, which belongs to both. */
  readonly environment: string | null;
  readonly payment: PaymentDocument;
}

/** Payments by their ids; undefined for those that do not exist. */
const paymentReads: SharedRead<PaymentRead, StoredPayment | undefined> = {
  name: 'payments',
  value: (given) => `(
    select json_agg(json_build_object('environment', d.environment, 'payment', ${columns}))
    from payments p left join payment_details d on d.payment_key = p.key
    where p.id = any (array(select jsonb_array_elements_text(${given}::jsonb) collate "C")))`,
  given: (reads) => JSON.stringify([...new Set(reads.map(({ id }) => id))]),
  results: (value, reads) => {
    // The statement above builds the list.
    const found = (value ?? []) as readonly FoundPayment[];
    const byId = new Map(
      found.map(({ environment, payment }) => [payment.id, { environment, payment: paymentOf(payment) }]),
    );
    return reads.map(({ id, environment }) => {
      const one = byId.get(id);
      return (one?.environment ?? environment) === environment ? one?.payment : undefined;
    });
  },
};

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
