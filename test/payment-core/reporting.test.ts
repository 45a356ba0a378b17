import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDatabaseUrl } from '../../src/db/connection/connection-address.js';
import type { Caller, PaymentCore } from '../../src/payment-core/index.js';
import { createTestCore, type TestCore } from './support/test-core.js';

let world: TestCore;
const account = '8a8294174b7ecb28014b9699220015ca';
const payment = 'a'.repeat(32);
const bare = 'b'.repeat(32);

/** Records as a nightly run stores them, with the results of matching. */
const records = [
  { line: 2, account_number_last4: '1111', account_holder: 'Jane Jones' },
  { line: 3, reconciliation_type: 'CHARGEBACK', cashflow: 'NEG', amount: 2500, reason_code: '000.100.220' },
  {
    line: 4,
    settlement_date: '2026-11-20',
    settlement_currency: 'USD',
    amount: 7000,
    bank_code: '10020030',
    has_time: false,
  },
  { line: 5, settlement_date: '2026-11-20', settlement_status: 'FAILED', amount: 999 },
  { line: 6, settlement_date: '2026-12-01', merchant_account_id: 'f'.repeat(32), amount: 1 },
];

beforeAll(async () => {
  world = await createTestCore();
  const { sql } = world.database.database;
  await sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', token::text, true) from run_fence`;
    await tx`
      insert into payments (id, payment_type, amount_minor, currency, result_code, merchant_transaction_id,
        merchant_invoice_id, requested_at)
      values (${payment}, 'DB', 10000, 'EUR', '000.000.000', 'order-000001', 'invoice-0001', '2026-11-18T10:00:00Z'),
        (${bare}, 'DB', 10000, 'EUR', '000.000.000', null, null, '2026-11-18T10:00:00Z')`;
    await tx`
      insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id)
      values (1, ${'1'.repeat(64)}, 'test', 'file-1', 1, 'loaded', '2026-11-21T05:06:07.891Z', 1)`;
    await tx`
      insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type,
        cashflow, clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, settlement_tx_id,
        amount_minor, currency, settlement_amount_minor, settlement_currency, settlement_fee_minor,
        settlement_fx_rate_hundredths, settlement_date, settlement_status, account_number_last4, bank_code,
        account_holder, reason_code, settlement_file_format, clearing_institute_name, tx_request_time)
      select 1, line, gen_random_uuid(), 1, coalesce(reconciliation_type, 'SETTLED'), 'DEBIT',
        coalesce(cashflow, 'POS'), 'MERCH-001', coalesce(merchant_account_id, ${account}), 'psp', 'merchant',
        'tx-' || line, coalesce(amount, 10000), 'EUR', coalesce(amount, 10000),
        coalesce(settlement_currency, 'EUR'), 25, 100, coalesce(settlement_date, '2026-11-19')::date,
        coalesce(settlement_status, 'SUCCESS'), account_number_last4, bank_code, account_holder, reason_code,
        'CSV', 'Institute', case when has_time is null then '2026-11-18T10:00:00Z'::timestamptz end
      from jsonb_to_recordset(${JSON.stringify(records)}::text::jsonb) as r (line int, reconciliation_type text,
        cashflow text, amount bigint, merchant_account_id text, settlement_currency text, settlement_date text,
        settlement_status text, account_number_last4 text, bank_code text, account_holder text, reason_code text,
        has_time boolean)`;
    await tx`
      insert into record_matches (file_id, line, status, matched_by, payment_key, run_id)
      select 1, 2, 'MATCHED'::matching_status, 'UNIQUE_ID'::matched_by, key, 1 from payments where id = ${payment}
      union all select 1, 3, 'MATCHED', 'UNIQUE_ID', key, 1 from payments where id = ${bare}
      union all select 1, 4, 'MULTIPLE_MATCHES', 'SHORT_ID', null, 1
      union all select 1, 5, 'NOT_MATCHED', null, null, 1`;
    await tx`insert into match_candidates select 1, 4, key from payments`;
    await tx`
      insert into chargeback_links select 1, 3, 'CHARGEBACK', ${'c'.repeat(32)}, ${'c'.repeat(32)}, key, 1
      from payments where id = ${bare}`;
  });
});
afterAll(() => world.drop());

const range = { 'date.from': '2026-11-19', 'date.to': '2026-11-20' };

describe('the settlement summary', () => {
  test('sums by date and currency', async () => {
    const { aggregations } = await world.core.reporting.summary(range);
    expect(aggregations).toEqual([
      {
        id: '2026-11-19-EUR',
        settlementDate: '2026-11-19',
        settlementCurrency: 'EUR',
        records: 2,
        failedRecords: 0,
        positive: '100.00',
        negative: '25.00',
        net: '75.00',
        fees: '0.50',
      },
      expect.objectContaining({ id: '2026-11-20-EUR', records: 0, failedRecords: 1, net: '0.00' }),
      expect.objectContaining({ id: '2026-11-20-USD', records: 1, net: '70.00' }),
    ]);
  });

  test('contains only the records of the caller', async () => {
    const mine = { entityIds: ['f'.repeat(32)] };
    expect((await world.core.reporting.summary(range, mine)).aggregations).toEqual([]);
  });

  test('can be limited to a currency', async () => {
    const inUsd = await world.core.reporting.summary({ ...range, currency: 'USD' });
    expect(inUsd.aggregations?.map(({ id }) => id)).toEqual(['2026-11-20-USD']);
    expect((await world.core.reporting.summary({ ...range, currency: 'JPY' })).aggregations).toEqual([]);
  });

  test('lists the latest day first with sortOrder=DESC', async () => {
    const { aggregations } = await world.core.reporting.summary({ ...range, sortOrder: 'DESC' });
    expect(aggregations?.map(({ id }) => id)).toEqual(['2026-11-20-USD', '2026-11-20-EUR', '2026-11-19-EUR']);
  });

  test('requires a range', async () => {
    const response = await world.core.reporting.summary({ 'date.from': '2026-11-19' });
    expect(response.result).toMatchObject({ code: '200.300.404', parameterErrors: [{ name: 'date.to' }] });
  });
});

describe('the detail level', () => {
  test('shows no references of a payment that the caller may not read', async () => {
    const references = async (caller: Caller) => {
      const { records: [found] = [] } = await world.core.reporting.details(
        { ...range, entityId: account },
        {},
        caller,
      );
      return [found?.merchantTransactionId, found?.merchantInvoiceId];
    };
    const other = 'e'.repeat(32);
    const { sql } = world.database.database;
    expect(await references({ entityIds: [account] })).toEqual(['order-000001', 'invoice-0001']);
    await sql`update payments set entity_id = ${other} where id = ${payment}`;
    expect(await references({ entityIds: [account] })).toEqual([payment, undefined]);
    expect(await references({ entityIds: [account, other] })).toEqual(['order-000001', 'invoice-0001']);
    await sql`update payments set entity_id = null where id = ${payment}`;
  });

  test('has the API names, with the merchant references of the matched payment', async () => {
    const { records: found = [] } = await world.core.reporting.details(range);
    expect(found[0]).toEqual({
      recordType: 'SETTLED',
      transactionType: 'DEBIT',
      merchantAccount: { id: account },
      pspEntityId: 'psp',
      merchantEntityId: 'merchant',
      clearingInstitute: { name: 'Institute', merchantId: 'MERCH-001' },
      amount: '100.00',
      currency: 'EUR',
      presentmentDate: '2026-11-18 10:00:00+0000',
      settlement: {
        cashflow: 'POS',
        id: 'tx-2',
        amount: '100.00',
        currency: 'EUR',
        fee: '0.25',
        fxRate: '1.00',
        date: '2026-11-19',
        status: 'SUCCESS',
        format: 'CSV',
      },
      card: { last4Digits: '1111', holder: 'Jane Jones' },
      matchedTransactions: { status: 'MATCHED', payment: [{ id: payment }] },
      merchantTransactionId: 'order-000001',
      merchantInvoiceId: 'invoice-0001',
    });
    expect(found[1]).toMatchObject({
      recordType: 'CHARGEBACK',
      result: { code: '000.100.220' },
      chargebackId: 'c'.repeat(32),
      merchantTransactionId: bare,
    });
    expect(found[2]).toMatchObject({
      bankAccount: { bankCode: '10020030' },
      matchedTransactions: { status: 'MULTIPLE_MATCHES', payment: [{ id: payment }, { id: bare }] },
    });
    expect(found[3]).toMatchObject({ matchedTransactions: { status: 'NOT_MATCHED', payment: [] } });
  });

  test('gives the time when the file was received where TxRequestTime is empty, as the reconciled file does', async () => {
    const { records: found = [] } = await world.core.reporting.details(range);
    expect(found.map(({ settlement, presentmentDate }) => [settlement.id, presentmentDate])).toEqual([
      ['tx-2', '2026-11-18 10:00:00+0000'],
      ['tx-3', '2026-11-18 10:00:00+0000'],
      ['tx-4', '2026-11-21 05:06:07+0000'],
      ['tx-5', '2026-11-18 10:00:00+0000'],
    ]);
  });

  test.each([
    ['ASC', ['tx-2', 'tx-3', 'tx-4', 'tx-5']],
    ['desc', ['tx-5', 'tx-4', 'tx-3', 'tx-2']],
  ])('is sorted %s, page by page', async (sortOrder, expected) => {
    const seen: (string | undefined)[] = [];
    let after: string | undefined;
    do {
      const parameters = { ...range, sortValue: 'SettlementTxDate', sortOrder };
      const page = await world.core.reporting.details(parameters, {
        limit: 1,
        ...(after === undefined ? {} : { after }),
      });
      seen.push(...(page.records ?? []).map(({ settlement }) => settlement.id));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(expected);
  });

  test('refuses a page number beside a page token, which says where the page begins', async () => {
    const { next = '' } = await world.core.reporting.details(range, { limit: 1 });
    const { records, result } = await world.core.reporting.details(range, {
      limit: 1,
      after: next,
      pageNo: 2,
    });
    expect([records, result.parameterErrors]).toEqual([
      undefined,
      [{ name: 'pageNo', value: '2', message: 'pageNo cannot be sent with after' }],
    ]);
  });

  test('can be limited to one currency, and refuses a page token that it did not return', async () => {
    const { records: dollars } = await world.core.reporting.details(range, { settlementCurrency: 'USD' });
    expect(dollars).toHaveLength(1);
    for (const after of ['x', Buffer.from('["2026-11-19"]').toString('base64url')]) {
      expect((await world.core.reporting.details(range, { after })).result.code).toBe('200.300.404');
    }
  });
});

test('both read the same on the client of a program, whatever the settings of its sessions', async () => {
  const sql = postgres({
    ...readDatabaseUrl(world.database.url),
    types: { bigint: postgres.BigInt },
    connection: { TimeZone: 'Asia/Tokyo', DateStyle: 'German' },
  });
  const reports = async ({ reporting }: PaymentCore) => {
    const first = await reporting.details(range, { limit: 2 });
    const { aggregations } = await reporting.summary(range);
    const { records: rest } = await reporting.details(range, { limit: 2, ...nextOf(first) });
    return { aggregations, records: first.records, next: first.next, rest };
  };
  const seen = await reports(await world.open({ sql }));
  await sql.end();
  expect(seen.rest).toHaveLength(2);
  expect(seen).toEqual(await reports(world.core));
});

const nextOf = ({ next }: { next?: string }) => (next === undefined ? {} : { after: next });

test('the statements are planned for the days and accounts of each request, however often they are executed', async () => {
  const sql = postgres({
    ...readDatabaseUrl(world.database.url),
    max: 1,
    types: { bigint: postgres.BigInt },
  });
  try {
    const core = await world.open({ sql });
    // After five executions, the server would prefer a plan for any values.
    for (let time = 1; time <= 8; time += 1) {
      await core.reporting.summary(range);
      await core.reporting.details({ ...range, entityId: account }, { pageNo: 1 });
    }
    const [plans] = await sql<{ custom: number; generic: number }[]>`
      select sum(custom_plans)::int as custom, sum(generic_plans)::int as generic from pg_prepared_statements
      where statement like '%from settlement_records r%' and statement not like '%pg_prepared_statements%'`;
    expect(plans).toEqual({ custom: 3 * 8, generic: 0 });
  } finally {
    await sql.end();
  }
});
