import { expect } from 'vitest';
import type { Sql } from '../../../src/db/client.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { createPaymentCore, type CoreSettings, type PaymentCore } from '../../../src/payment-core/index.js';

/** Keys of tests only. */
export const encryptionKeys = {
  current: 'first',
  keys: { first: '11'.repeat(32), second: '22'.repeat(32) },
  lookup: '33'.repeat(32),
} as const;

/** 2026-11-20 12:00:00 UTC. */
export const noon = Date.UTC(2026, 10, 20, 12);

export interface TestCore {
  readonly core: PaymentCore;
  readonly database: TestDatabase;
  /** Another core on the same database. */
  open(settings?: Partial<CoreSettings> & { readonly sql?: Sql }): Promise<PaymentCore>;
  /** Moves the clock of every core. */
  advance(milliseconds: number): void;
  drop(): Promise<void>;
}

/** A core with its own database, whose clock stands still until it is moved. */
export async function createTestCore(settings: Partial<CoreSettings> = {}): Promise<TestCore> {
  const database = await createTestDatabase();
  let now = noon;
  const open: TestCore['open'] = (more = {}) =>
    createPaymentCore({
      sql: database.database.sql,
      environment: 'test',
      encryptionKeys,
      clock: () => now,
      ...settings,
      ...more,
    });
  return {
    core: await open(),
    database,
    open,
    advance: (milliseconds) => {
      now += milliseconds;
    },
    drop: () => database.drop(),
  };
}

/** A number that passes every check and belongs to nobody. */
export const cardNumber = '4200000000000000';

/** Where a shopper comes back to. */
export const shopperResultUrl = 'https://shop.example/back';

/** A card payment that the simulator approves. */
export const card = {
  paymentBrand: 'VISA',
  'card.number': cardNumber,
  'card.holder': 'Jane Jones',
  'card.expiryMonth': '05',
  'card.expiryYear': '2034',
  'card.cvv': '123',
} as const;

/** A payment of 100.00 EUR by card. */
export function cardPayment(paymentType: 'PA' | 'DB' | 'CD', more: Record<string, string> = {}) {
  return { paymentType, amount: '100.00', currency: 'EUR', ...card, ...more };
}

/** A capture, reversal or refund. */
export function referencing(
  paymentType: 'CP' | 'RV' | 'RF',
  amount: string,
  more: Record<string, string> = {},
) {
  return { paymentType, amount, currency: 'EUR', ...more };
}

/** Any text that fits. */
export const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
