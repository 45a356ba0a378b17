import { expect, test } from 'vitest';
import { deliveryKey, hasDeliveryKey } from '../../../src/matching/deliveries/delivery-key.js';
import { databaseForAllTests } from '../../support/database.js';

const testDatabase = databaseForAllTests();

test.each<
  [
    settlementTxId: string | null,
    uniqueId: string | null,
    shortId: string | null,
    connectorTxId: string | null,
    hasKey: boolean,
  ]
>([
  // SettlementTxId, UniqueID, ShortId, ConnectorTxId1
  ['tx1', 'u1', 's1', 'c1', true],
  ['tx1', 'u1', null, null, true],
  ['tx1', '', 's1', null, true],
  ['tx1', null, '', 'c1', true],
  ['tx1', '', null, '', false],
  ['tx1', null, null, null, false],
  ['', 'u1', 's1', 'c1', false],
  [null, 'u1', 's1', 'c1', false],
])(
  'a record with %j, %j, %j, %j has a delivery key: %j',
  async (settlementTxId, uniqueId, shortId, connectorTxId, hasKey) => {
    const [found] = await testDatabase.database.sql.begin(
      (tx) => tx<{ key: string | null; has_key: boolean }[]>`
      select ${deliveryKey(tx)}::text as key, coalesce(${hasDeliveryKey(tx)}, false) as has_key
      from (values (${settlementTxId}::text, 'SETTLED', 'DEBIT', ${uniqueId}::text, ${shortId}::text,
        ${connectorTxId}::text, null::text, ''::text)) r (settlement_tx_id, reconciliation_type, payment_type,
        unique_id, short_id, connector_tx_id1, connector_tx_id2, connector_tx_id3)`,
    );
    expect(found?.has_key).toBe(hasKey);
    expect(found?.key !== null).toBe(hasKey);
  },
);
