import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import pino from 'pino';
import { openDatabase } from '../../src/db/connect.js';

/*
 * The reference of `npm run bench -- --http`: what fastify, the driver and PostgreSQL need for the minimum of the job.
 * A payment is parsed from its form and inserted with its details and its notification by one data-modifying statement,
 * which is its own transaction; reading one is a bare select by its id. There is no token, no validation, no
 * encryption, no log, and nobody finds out what became of a lost answer.
 *
 * Use: `tsx bench/http/reference-server.ts DATABASE_URL`; the first line of standard output is the address.
 */

const [, , url = ''] = process.argv;
const database = await openDatabase({ url }, { logger: pino({ enabled: false }) });
const { sql } = database;
const server = Fastify();

server.addContentTypeParser(
  'application/x-www-form-urlencoded',
  { parseAs: 'string' },
  (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(String(body))));
  },
);

server.post<{ Body: Record<string, string> }>('/v1/payments', async (request) => {
  const { 'card.number': number = '', 'card.cvv': _cvv, ...parameters } = request.body;
  const id = randomBytes(16).toString('hex');
  const ndc = randomBytes(32).toString('hex');
  // As long as what the gateway stores of the account number, with indexes of the same number of entries.
  const sealed = randomBytes(64).toString('hex');
  const [shortId, connectorTxId] = [ndc.slice(0, 14), ndc.slice(0, 20)];
  const now = new Date().toISOString();
  const answer = {
    id,
    paymentType: parameters['paymentType'],
    paymentBrand: parameters['paymentBrand'],
    amount: parameters['amount'],
    currency: parameters['currency'],
    result: { code: '000.100.110', description: 'Request successfully processed' },
    card: { bin: number.slice(0, 6), last4Digits: number.slice(-4), holder: parameters['card.holder'] },
    customer: { givenName: parameters['customer.givenName'], surname: parameters['customer.surname'] },
    merchantTransactionId: parameters['merchantTransactionId'],
    buildNumber: 'reference',
    timestamp: now,
    ndc,
  };
  await sql`
    with payment as (
      insert into payments (id, short_id, connector_tx_id1, payment_type, payment_brand, amount_minor, currency, result_code,
        merchant_transaction_id, entity_id, account_number_last4, requested_at)
      select ${id}::text, ${shortId}::text, ${connectorTxId}::text, ${answer.paymentType ?? ''}::text, ${answer.paymentBrand ?? ''}::text,
        ${String(Math.round(Number(answer.amount) * 100))}::text::bigint, ${answer.currency ?? ''}::text,
        '000.100.110', ${answer.merchantTransactionId ?? ''}::text, ${'reference'}::text,
        ${answer.card.last4Digits}::text, ${now}::text::timestamptz
      returning key
    ), details as (
      insert into payment_details (payment_key, environment, connector, payment_method, parameters, answer, card_bin,
        card_last4, account_sealed, account_key_id, ndc, responded_at)
      select key, 'test', 'reference', 'CC', ${JSON.stringify(parameters)}::text::jsonb, '{}'::jsonb,
        ${answer.card.bin}::text, ${answer.card.last4Digits}::text, ${sealed}::text, 'key',
        ${ndc}::text, ${now}::text::timestamptz
      from payment
    )
    insert into payment_events (type, action, resource_id, environment, entity_id, payload, occurred_at)
    select 'PAYMENT', 'CREATED', ${id}::text, 'test', 'reference', ${JSON.stringify(answer)}::text::jsonb,
      ${now}::text::timestamptz
    from payment`;
  return answer;
});

server.get<{ Params: { id: string } }>('/v1/payments/:id', async (request, reply) => {
  const [payment] = await sql<{ [column: string]: string | null }[]>`
    select p.id, p.payment_type as "paymentType", p.payment_brand as "paymentBrand",
      p.amount_minor::text as amount, p.currency, p.result_code as "resultCode",
      p.merchant_transaction_id as "merchantTransactionId", p.requested_at as timestamp, d.parameters::text,
      d.answer::text, d.card_bin as bin, d.card_last4 as "last4Digits", d.ndc
    from payments p join payment_details d on d.payment_key = p.key where p.id = ${request.params.id}`;
  return payment ?? reply.code(404).send({});
});

const address = await server.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ url: address })}\n`);
process.on('SIGTERM', () => {
  void server.close().then(() => database.close());
});
