import { namesByAlias, type Allowances } from './allowances.js';
import { candidateTypes } from './type-fit.js';
import type { Fragment, Tx } from './fragment.js';

export type MatchedBy = 'UNIQUE_ID' | 'SHORT_ID' | 'CONNECTOR_TX_ID' | 'ATTRIBUTES';

/** The weakest key can be switched off, and its time window can be set (design 4.4). */
export interface AttributeSettings {
  readonly enabled: boolean;
  readonly windowHours: number;
}

/**
 * How a record finds payments: by any of the alternatives. Each is a join condition over `r` (settlement_records) and
 * `p` (payments) for which one index can be used. No index could be used for one condition with `or`.
 */
export interface MatchingKey {
  readonly name: MatchedBy;
  readonly alternatives: readonly [Fragment, ...Fragment[]];
}

/** Key 1, which finds one payment at most: the fast path of matching. */
export function uniqueIdKey(tx: Tx): Fragment {
  return tx`(p.id = r.unique_id and r.unique_id <> '' and ${isCandidate(tx)})`;
}

/** All keys, strongest first; the first that finds a payment decides. */
export function matchingKeys(
  tx: Tx,
  attributes: AttributeSettings,
  brandAliases: Allowances['brandAliases'],
): MatchingKey[] {
  const keys: MatchingKey[] = [
    { name: 'UNIQUE_ID', alternatives: [uniqueIdKey(tx)] },
    {
      name: 'SHORT_ID',
      alternatives: [tx`(p.short_id = r.short_id and r.short_id <> '' and ${isCandidate(tx)})`],
    },
    {
      name: 'CONNECTOR_TX_ID',
      alternatives: [
        tx`(p.connector_tx_id1 = r.connector_tx_id1 and r.connector_tx_id1 <> '' and ${isCandidate(tx)})`,
        tx`(p.connector_tx_id2 = r.connector_tx_id2 and r.connector_tx_id2 <> '' and ${isCandidate(tx)})`,
        tx`(p.connector_tx_id3 = r.connector_tx_id3 and r.connector_tx_id3 <> '' and ${isCandidate(tx)})`,
      ],
    },
  ];
  if (attributes.enabled) {
    const condition = attributesCondition(tx, attributes.windowHours, brandAliases);
    keys.push({ name: 'ATTRIBUTES', alternatives: [condition] });
  }
  return keys;
}

function attributesCondition(
  tx: Tx,
  windowHours: number,
  brandAliases: Allowances['brandAliases'],
): Fragment {
  const byAlias = namesByAlias(tx, brandAliases);
  const window = tx`make_interval(secs => ${windowHours * 3600}::float8)`;
  return tx`(p.entity_id = r.merchant_account_id and p.account_number_last4 = r.account_number_last4
    and r.account_number_last4 <> '' and p.amount_minor = r.amount_minor and p.currency = r.currency
    and p.requested_at between r.tx_request_time - ${window} and r.tx_request_time + ${window}
    and (p.payment_brand = r.brand or coalesce(p.payment_brand, '') = '' or coalesce(r.brand, '') = ''${
      byAlias === null ? tx`` : tx` or ${byAlias}`
    })
    and ${isCandidate(tx)})`;
}

function isCandidate(tx: Tx): Fragment {
  return tx`p.payment_type in ${tx([...candidateTypes])}`;
}

/** Fees that belong to one payment; the others are charged to the account and match nothing. */
const paymentFees = ['AUTH_FEE', 'CAPTURE_FEE', 'CANCEL_FEE', 'REFUND_FEE'] as const;

/** Whether record `r` is matched at all (design 4.4). */
export function isMatchable(tx: Tx): Fragment {
  return tx`(r.reconciliation_type <> 'FEE' or (r.payment_type in ${tx([...paymentFees])} and concat(
    r.unique_id, r.short_id, r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3) <> ''))`;
}
