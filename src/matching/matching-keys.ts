import { namesByAlias, type Allowances } from './allowances.js';
import { candidateTypes } from './type-fit.js';
import type { Fragment, Tx } from './fragment.js';

/** The keys of design 4.4, as the report names them. */
export type MatchedBy = 'UNIQUE_ID' | 'SHORT_ID' | 'CONNECTOR_TX_ID' | 'ATTRIBUTES';

/** The weakest key can be switched off, and its time window can be set (design 4.4). */
export interface AttributeSettings {
  readonly enabled: boolean;
  readonly windowHours: number;
}

/** The settings of keys 2 to 4 (design 4.4). */
export interface WeakerKeySettings {
  readonly attributes: AttributeSettings;
  /** A value, or attributes, that more payments have than this identifies none of them. */
  readonly maxPaymentsPerKey: number;
  readonly allowances: Pick<Allowances, 'brandAliases'>;
}

/** The columns of records and payments by which a key finds several payments (design 4.4). */
export const identifiers = ['short_id', 'connector_tx_id1', 'connector_tx_id2', 'connector_tx_id3'] as const;
/** See {@link identifiers}. */
export type Identifier = (typeof identifiers)[number];

/** The names of these columns in files of settlements and payments. */
export const identifierNames: Readonly<Record<Identifier, string>> = {
  short_id: 'ShortId',
  connector_tx_id1: 'ConnectorTxId1',
  connector_tx_id2: 'ConnectorTxId2',
  connector_tx_id3: 'ConnectorTxId3',
};

/** How a record finds payments: by any of the alternatives. No index could be used for one condition with `or`. */
export interface MatchingKey {
  readonly name: MatchedBy;
  readonly alternatives: readonly [Alternative, ...Alternative[]];
}

/** One way in which a key finds payments. */
export interface Alternative {
  /** The column that is compared; null if it is not one alone. */
  readonly identifier: Identifier | null;
  /** Over `r` (settlement_records) and `p` (payments); one index can be used for it. */
  readonly condition: Fragment;
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
    { name: 'UNIQUE_ID', alternatives: [{ identifier: null, condition: uniqueIdKey(tx) }] },
    { name: 'SHORT_ID', alternatives: [sameIdentifier(tx, 'short_id')] },
    {
      name: 'CONNECTOR_TX_ID',
      alternatives: [
        sameIdentifier(tx, 'connector_tx_id1'),
        sameIdentifier(tx, 'connector_tx_id2'),
        sameIdentifier(tx, 'connector_tx_id3'),
      ],
    },
  ];
  if (attributes.enabled) {
    const condition = attributesCondition(tx, attributes.windowHours, brandAliases);
    keys.push({ name: 'ATTRIBUTES', alternatives: [{ identifier: null, condition }] });
  }
  return keys;
}

function sameIdentifier(tx: Tx, identifier: Identifier): Alternative {
  const column = tx(identifier);
  const condition = tx`(p.${column} = r.${column} and r.${column} <> '' and ${isCandidate(tx)})`;
  return { identifier, condition };
}

function attributesCondition(
  tx: Tx,
  windowHours: number,
  brandAliases: Allowances['brandAliases'],
): Fragment {
  return tx`(${sameAttributes(tx)} and p.requested_at between ${windowAround(tx, windowHours, tx`r.tx_request_time`)}
    and ${brandFits(tx, brandAliases)} and ${isCandidate(tx)})`;
}

/** Whether record `r` and payment `p` have the same attributes, without the time and the brand. */
export function sameAttributes(tx: Tx): Fragment {
  return tx`p.entity_id = r.merchant_account_id and p.account_number_last4 = r.account_number_last4
    and r.account_number_last4 <> '' and p.amount_minor = r.amount_minor and p.currency = r.currency`;
}

/** The first and the last moment at which the payment of a record with that time may have been made, for `between`. */
export function windowAround(tx: Tx, windowHours: number, first: Fragment, last = first): Fragment {
  const window = tx`make_interval(secs => ${windowHours * 3600}::float8)`;
  return tx`${first} - ${window} and ${last} + ${window}`;
}

/** Whether the brands of record `r` and payment `p` agree, or one of them has none. */
export function brandFits(tx: Tx, brandAliases: Allowances['brandAliases']): Fragment {
  const byAlias = namesByAlias(tx, brandAliases);
  return tx`(p.payment_brand = r.brand or coalesce(p.payment_brand, '') = '' or coalesce(r.brand, '') = ''${
    byAlias === null ? tx`` : tx` or ${byAlias}`
  })`;
}

/** Whether a record can be matched to payment `p`. */
export function isCandidate(tx: Tx): Fragment {
  return tx`p.payment_type in ${tx([...candidateTypes])}`;
}

/** Fees that belong to one payment; the others are charged to the account and match nothing. */
const paymentFees = ['AUTH_FEE', 'CAPTURE_FEE', 'CANCEL_FEE', 'REFUND_FEE'] as const;

/** Whether record `r` is matched at all (design 4.4). */
export function isMatchable(tx: Tx): Fragment {
  return tx`(r.reconciliation_type <> 'FEE' or (r.payment_type in ${tx([...paymentFees])} and concat(
    r.unique_id, r.short_id, r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3) <> ''))`;
}
