import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cardPayment, createTestCore, referencing, type TestCore } from './support/test-core.js';

let world: TestCore;
const entityId = 'e'.repeat(32);
const bankAccount = {
  paymentType: 'DB',
  paymentBrand: 'DIRECTDEBIT_SEPA',
  amount: '10.00',
  currency: 'EUR',
  'bankAccount.holder': 'Jane Jones',
  'bankAccount.iban': 'DE89370400440532013000',
  'bankAccount.bic': 'COBADEFFXXX',
  'bankAccount.country': 'DE',
};
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

const ids = (response: { readonly payments?: readonly { readonly id: string }[] }) =>
  (response.payments ?? []).map(({ id }) => id);

describe('a query', () => {
  test('finds by reference, short id, type, method, time and entity', async () => {
    const first = await world.core.payments.create(
      cardPayment('PA', { merchantTransactionId: 'order-query-1', entityId }),
    );
    const second = await world.core.payments.create(bankAccount);
    expect(second.bankAccount).toEqual({ holder: 'Jane Jones', bic: 'COBADEFFXXX', country: 'DE' });
    const { query } = world.core;
    expect(ids(await query({ merchantTransactionId: 'order-query-1' }))).toEqual([first.id]);
    expect(ids(await query({ shortId: second.shortId ?? '' }))).toEqual([second.id]);
    expect(ids(await query({ paymentTypes: 'PA,CP' }))).toEqual([first.id]);
    expect(ids(await query({ paymentMethods: 'DD' }))).toEqual([second.id]);
    expect(ids(await query({ entityId }))).toEqual([first.id]);
    const at = (time: string) => ({ 'date.from': `2026-11-20 ${time}`, 'date.to': `2026-11-20 ${time}` });
    expect(ids(await query(at('12:00:00')))).toEqual([second.id, first.id]);
    expect(ids(await query(at('12:00:01')))).toEqual([]);
    expect(ids(await query({}, {}, { entityIds: [entityId] }))).toEqual([first.id]);
    expect(ids(await query({ entityId }, {}, { entityIds: ['f'.repeat(32)] }))).toEqual([]);
  });

  test('returns all linked payments when requested, however distant', async () => {
    const { payments, query } = world.core;
    const authorised = await payments.create(cardPayment('PA', { merchantTransactionId: 'order-query-2' }));
    const one = await payments.reference(authorised.id, referencing('CP', '10.00'));
    const two = await payments.reference(authorised.id, referencing('CP', '20.00'));
    const refund = await payments.reference(two.id, referencing('RF', '5.00'));
    const alone = await query({ merchantTransactionId: 'order-query-2' });
    expect(ids(alone)).toEqual([authorised.id]);
    const linked = await query({
      merchantTransactionId: 'order-query-2',
      includeLinkedTransactions: 'true',
    });
    expect(ids(linked)).toEqual([authorised.id, one.id, two.id, refund.id]);
    const fromBelow = await query({ shortId: refund.shortId ?? '', includeLinkedTransactions: 'true' });
    expect(ids(fromBelow)).toEqual([refund.id, authorised.id, one.id, two.id]);
  });

  describe('with thousands of linked payments', () => {
    const entityIds = ['c'.repeat(32)];
    const family = 1002;
    const wanted = { paymentTypes: 'PA', includeLinkedTransactions: 'true' };
    const storeFamilies = async (from: number, to: number) => {
      const { sql } = world.database.database;
      await sql`
        insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, entity_id,
          referenced_payment_id)
        select f || kind || n, kind, 1, 'EUR', '000.000.000', '2026-11-02T00:00:00Z', ${entityIds[0] ?? ''}, parent
        from generate_series(${from}::int, ${to}::int) f, lateral (
          select 'PA' as kind, 0 as n, null as parent
          union all select 'CP', 0, f || 'PA0'
          union all select 'RF', n, f || 'CP0' from generate_series(1, 1000) n) of_family`;
    };
    /** The pages from one place on, each with its ids. */
    async function pagesFrom(
      after?: string,
    ): Promise<{ found: string[]; moreLinked: boolean | undefined }[]> {
      const page = await world.core.query(wanted, after === undefined ? {} : { after }, { entityIds });
      const shown = { found: ids(page), moreLinked: page.moreLinked };
      return page.next === undefined ? [shown] : [shown, ...(await pagesFrom(page.next))];
    }

    test('returns them in parts, each payment once, and says when there are more', async () => {
      await storeFamilies(1, 6);
      const pages = await pagesFrom();
      expect(pages.map(({ found, moreLinked }) => [found.length, moreLinked])).toEqual([
        [6 + 5000, true],
        [6 * family - 6 - 5000, undefined],
      ]);
      const all = pages.flatMap(({ found }) => found);
      expect(new Set(all).size).toBe(6 * family);
      expect(all.slice(0, 6)).toEqual(['6PA0', '5PA0', '4PA0', '3PA0', '2PA0', '1PA0']);
    });

    test('returns the rest of a page, and the pages after it, while payments are added', async () => {
      // With these, 106 payments are wanted: a page of 100, and one of 6.
      await storeFamilies(7, 9);
      const { sql } = world.database.database;
      await sql`
        insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, entity_id)
        select 'single' || n, 'PA', 1, 'EUR', '000.000.000', '2026-11-02T00:00:00Z', ${entityIds[0] ?? ''}
        from generate_series(1, 97) n`;
      const first = await world.core.query(wanted, {}, { entityIds });
      expect(first.moreLinked).toBeUndefined();
      await storeFamilies(10, 16);
      const [top, ...others] = await pagesFrom();
      expect([top?.found.length, top?.moreLinked]).toEqual([100 + 5000, true]);
      const begun = await world.core.query(wanted, {}, { entityIds });
      await storeFamilies(17, 17);
      const rest = await pagesFrom(begun.next);
      expect(rest).toEqual(others);
      const all = [...ids(begun), ...rest.flatMap(({ found }) => found)];
      expect(new Set(all).size).toBe(16 * family + 97);
      expect(all).toHaveLength(16 * family + 97);
    });

    test('of one payment too', async () => {
      const { sql } = world.database.database;
      await sql`
        insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, referenced_payment_id)
        select 'more' || n, 'RF', 1, 'EUR', '000.000.000', '2026-11-02T00:00:00Z', '1CP0'
        from generate_series(1, 4000) n`;
      const first = await world.core.query({ includeLinkedTransactions: 'true' }, { id: '1CP0' });
      const { next = '' } = first;
      expect([first.payments?.length, first.moreLinked]).toEqual([5001, true]);
      const rest = await world.core.query({ includeLinkedTransactions: 'true' }, { id: '1CP0', after: next });
      expect([rest.payments?.length, rest.moreLinked, rest.next]).toEqual([1, undefined, undefined]);
      const numbered = await world.core.query(
        { includeLinkedTransactions: 'true' },
        { id: '1CP0', pageNo: 1 },
      );
      expect(numbered).toMatchObject({ next, moreLinked: true, pages: 1 });
    });

    test.each([
      [{}, '9.8.7', 'is from a query with includeLinkedTransactions=true'],
      [{ includeLinkedTransactions: 'true' }, '9.8', 'is not a value of next'],
    ])('%j with the place %s: %s', async (parameters, after, message) => {
      const { result } = await world.core.query(parameters, { after });
      expect(result.parameterErrors).toEqual([{ name: 'after', value: after, message: `after ${message}` }]);
    });
  });

  test('lists the payment that was stored last first, whatever its time', async () => {
    const { sql } = world.database.database;
    const entity = 'b'.repeat(32);
    const made = await world.core.payments.create(cardPayment('PA', { entityId: entity }));
    // An import stores payments of the past.
    await sql`
      insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, entity_id)
      values ('older', 'PA', 100, 'EUR', '000.000.000', '2020-01-01T00:00:00Z', ${entity}),
             ('old', 'PA', 100, 'EUR', '000.000.000', '2019-01-01T00:00:00Z', ${entity})`;
    expect(ids(await world.core.query({ entityId: entity }))).toEqual(['old', 'older', made.id]);
  });

  test('returns pages without gaps or duplicates while payments are added', async () => {
    const { sql } = world.database.database;
    const insert = (from: number, to: number) => sql`
      insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at)
      select lpad(n::text, 32, '0'), 'CD', 100, 'EUR', '000.000.000', '2026-11-01T00:00:00Z'
      from generate_series(${from}::int, ${to}::int) n`;
    await insert(1, 250);
    const seen: string[] = [];
    let after: string | undefined;
    for (let page = 0; ; page += 1) {
      const response = await world.core.query({ paymentTypes: 'CD' }, after === undefined ? {} : { after });
      seen.push(...ids(response));
      if (response.next === undefined) break;
      after = response.next;
      await insert(1000 + page * 50, 1049 + page * 50);
    }
    const expected = Array.from({ length: 250 }, (_, index) => (250 - index).toString().padStart(32, '0'));
    expect(seen).toEqual(expected);
  });

  test.each([
    [{ limit: '99' }, 'limit'],
    [{ limit: '501' }, 'limit'],
    [{ paymentTypes: "PA' or 1=1 --" }, 'paymentTypes'],
    [{ 'date.from': '2026-11-20 00:00:00' }, 'date.to'],
  ])('%j is a violation', async (parameters, name) => {
    const response = await world.core.query(parameters);
    expect(response.result.code).toBe('200.300.404');
    expect(response.result.parameterErrors?.map((error) => error.name)).toContain(name);
    expect(response.payments).toBeUndefined();
  });

  test('with an injection attempt finds nothing', async () => {
    expect(ids(await world.core.query({ merchantTransactionId: "' or 1=1 --" }))).toEqual([]);
    expect((await world.core.query({}, { after: '1 or 1=1' })).result.code).toBe('200.300.404');
  });
});
