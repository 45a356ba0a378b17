import { readTogetherOn, type SharedRead } from '../../db/read-together.js';
import { mayAccess, type Caller, type CoreContext } from '../core/core-context.js';
import type { Environment } from '../fields/request-kinds.js';
import type { AnsweredPayment } from './payment-content.js';
import {
  answeredArray,
  answeredDocumentOf,
  answeredOf,
  answeredTexts,
  type AnsweredDocument,
  type Value,
} from './payment-document.js';

/** A read of one payment. */
interface PaymentRead {
  readonly environment: Environment;
  readonly id: string;
}

const fromPayments = 'from payments p left join payment_details d on d.payment_key = p.key';

/** Payments by their ids; undefined for those that do not exist. */
const paymentReads: SharedRead<PaymentRead, AnsweredPayment | undefined> = {
  name: 'payments',
  value: (given) => `(
    select json_agg(${answeredArray}) ${fromPayments}
    where p.id = any (array(select jsonb_array_elements_text(${given}::jsonb) collate "C")))`,
  given: (reads) => JSON.stringify([...new Set(reads.map(({ id }) => id))]),
  results: (value, reads) => {
    // The statement above builds the list.
    const found = ((value ?? []) as readonly (readonly Value[])[]).map(answeredDocumentOf);
    const byId = new Map(found.map((document) => [document.id, document]));
    return reads.map((read) => seenBy(read, byId.get(read.id)));
  },
  one: {
    query: (given, columns) => `select ${columns} ${fromPayments} where p.id = ${given} collate "C"`,
    columns: answeredTexts,
    given: ({ id }) => id,
    result: (row, read) => seenBy(read, row && answeredDocumentOf(row)),
  },
};

/** Imported payments belong to both environments. */
function seenBy({ environment }: PaymentRead, document?: AnsweredDocument): AnsweredPayment | undefined {
  if (document === undefined) return undefined;
  return (document.environment ?? environment) === environment ? answeredOf(document) : undefined;
}

/**
 * The payment with this id as an answer needs it, if the caller may see it. Requests of the same moment share a
 * statement, whoever their callers are, so what a caller may see is decided here instead of by the statement.
 */
export async function readAnswered(
  { environment, sql }: CoreContext,
  id: string,
  caller: Caller,
): Promise<AnsweredPayment | undefined> {
  const payment = await readTogetherOn(sql)(paymentReads, { environment, id });
  return payment !== undefined && mayAccess(caller, payment.entityId) ? payment : undefined;
}
