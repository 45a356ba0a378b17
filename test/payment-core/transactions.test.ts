import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction, mustHaveWritten, within } from '../../src/payment-core/core/transactions.js';
import { administer, createTestDatabase, type TestDatabase } from '../support/database.js';

let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
});
afterAll(() => world.drop());

const insert = (id: string) => (tx: Parameters<Parameters<typeof inTransaction<unknown>>[1]>[0]) => tx.sql`
  insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at)
  select ${id}::text, 'DB', 100, 'EUR', '000.000.000', '2026-11-18T10:00:00Z'::timestamptz where ${within(tx)}`;

const count = async () => {
  const [row] = await world.database.sql<{ n: bigint }[]>`select count(*) as n from payments`;
  return Number(row?.n);
};

describe('a transaction of the core', () => {
  test('stores all or nothing', async () => {
    await inTransaction(world.database.sql, async (tx) => mustHaveWritten(await insert('one')(tx)));
    const failed = inTransaction(world.database.sql, async (tx) => {
      await insert('two')(tx);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await count()).toBe(1);
  });

  test('whose connection dies in the middle stores nothing, and says so', async () => {
    const before = await count();
    const lost = inTransaction(world.database.sql, async (tx) => {
      mustHaveWritten(await insert('three')(tx));
      const [backend] = await tx.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await administer(`select pg_terminate_backend(${backend?.pid ?? 0})`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      // The driver sends this on another connection, outside any transaction: it must write nothing.
      mustHaveWritten(await insert('four')(tx));
    });
    await expect(lost).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
    expect(await count()).toBe(before);
  });

  test('whose connection dies before its end is not reported as stored', async () => {
    const before = await count();
    const lost = inTransaction(world.database.sql, async (tx) => {
      mustHaveWritten(await insert('five')(tx));
      const [backend] = await tx.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await administer(`select pg_terminate_backend(${backend?.pid ?? 0})`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    await expect(lost).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
    expect(await count()).toBe(before);
  });
});
