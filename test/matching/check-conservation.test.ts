import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { databaseForAllTests } from '../support/database.js';
import { matchRun } from './findings.js';
import { storePayments, storeRecords, rolledBack } from './scenario.js';
import { paymentsOf, recordsOf } from './table.js';

const testDatabase = databaseForAllTests();

/** Stores two payments; one is settled, the other is charged back. */
async function storeScenario(tx: Tx): Promise<void> {
  await storePayments(tx, paymentsOf('payment | short\np1 | \np2 | '));
  await storeRecords(
    tx,
    1,
    recordsOf(`record | kind       | unique | amount
               a      | SETTLED    | p1     | 60.00
               b      | CHARGEBACK | p2     | 60.00`),
  );
}

describe('matches are compared with the stored records and bookings, and a difference stops the run', () => {
  it.each<[string, (tx: Tx) => Promise<unknown>, string]>([
    [
      'a record of a loaded file was lost after it was stored',
      (tx) => tx`delete from settlement_records where line = 2`,
      'file settlement-1.csv has 2 records and 1 results of matching',
    ],
    [
      'a chargeback was booked over another amount than its record names',
      (tx) => tamperWithBookings(tx, 'new.amount_minor := new.amount_minor - 1'),
      'the CHARGEBACK records come to 60.00 EUR, and 59.99 EUR were booked for them',
    ],
    [
      'a chargeback was booked in another currency',
      (tx) => tamperWithBookings(tx, "new.currency := 'USD'"),
      'the CHARGEBACK records come to 60.00 EUR, and 0.00 EUR were booked for them',
    ],
  ])('%s', async (_fault, tamper, disagreement) => {
    await rolledBack(testDatabase.database.sql, async (tx) => {
      await storeScenario(tx);
      await tamper(tx);
      await expect(matchRun(tx, 1)).rejects.toMatchObject({
        code: 'CONTROL_TOTALS_DISAGREE',
        message: `Control totals disagree: ${disagreement}. Nothing of this matching was stored.`,
      });
    });
  });

  it('nothing disagrees in an ordinary run', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storeScenario(tx);
      await expect(matchRun(tx, 1)).resolves.toEqual({ assigned: 1, reversed: 0 });
    }));
});

/** Makes the database alter what the payment core books, as a faulty change of the core could. */
async function tamperWithBookings(tx: Tx, assignment: string): Promise<void> {
  await tx.unsafe(`create function tamper() returns trigger language plpgsql as
    $$ begin ${assignment}; return new; end $$`);
  await tx`create trigger tamper before insert on payments for each row execute function tamper()`;
}
