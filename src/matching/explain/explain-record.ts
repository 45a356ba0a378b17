import { isMatchable } from '../matching-keys.js';
import { amountText, type Tx } from '../fragment.js';
import { correctionOf } from './correction-of.js';
import { compareRecord } from './compare-record.js';
import { explainMatch } from './explain-match.js';
import type {
  CandidatePayment,
  ExplainedRecord,
  ExplainSettings,
  Explanation,
  KeyTrial,
  MatchResult,
  RecordFacts,
  TitledTx,
} from './explanation.js';
import { linkDecisionsOf } from './link-decisions.js';
import { deliveryDecisionOf } from './delivery-decision.js';
import { findByBeginning, findRecords, type RecordAddress } from './find-record.js';
import { namedChargebackOf, type NamedChargeback } from './named-chargeback.js';
import { pendingWithdrawalOf } from './pending-withdrawal.js';
import { recordNotFound } from './record-not-found.js';
import { isExcluded, whyUncounted } from './why-uncounted.js';
import { chargebackOf, discrepanciesOf, settlementsOf, storedMatch } from './stored-findings.js';
import { withoutTableScans } from '../../db/without-table-scans.js';

/**
 * Explains why a record matched as it did: the keys in turn, what each found, how the candidates were
 * narrowed, what was compared, and what is stored about it. Reads only; the match is computed again, with
 * the definitions that matching itself uses, against the payments as they are now.
 *
 * @param reference `FILE:LINE`, a UniqueID, SettlementTxId or DiscrepancyId, or the beginning of a DiscrepancyId, as
 *   lists show it. If several records have it, they are listed instead.
 * @param titled returns a handle for the statements that the title describes (`explain --sql`)
 * @throws ReconError RECORD_NOT_FOUND, RECORDS_RETIRED
 */
export async function explainRecord(
  tx: Tx,
  reference: string,
  settings: ExplainSettings,
  titled: TitledTx = () => tx,
): Promise<Explanation> {
  // Everything about a record is looked up. Where nearly all payments refer to one, the planner expects each look-up
  // to find them all, and read all payments for each of 10,000 captures (13 s).
  return withoutTableScans(tx, () => explain(tx, reference, settings, titled));
}

async function explain(
  tx: Tx,
  reference: string,
  settings: ExplainSettings,
  titled: TitledTx,
): Promise<Explanation> {
  const possibilities = await findRecords(titled('Find the record'), reference);
  const [address, ...others] = possibilities;
  if (address === undefined) {
    const id = await findByBeginning(
      titled('Find the discrepancy whose id begins with these digits'),
      reference,
    );
    return id === null ? explainPayment(titled, reference, settings) : explain(tx, id, settings, titled);
  }
  if (others.length > 0) return { kind: 'ambiguous', reference, possibilities };
  return { kind: 'record', record: await explainOne(titled, address, settings) };
}

async function explainOne(
  titled: TitledTx,
  address: RecordAddress,
  settings: ExplainSettings,
): Promise<ExplainedRecord> {
  const { matchable, ...facts } = await recordFacts(titled('Read the record'), address);
  const decisions = await linkDecisionsOf(titled('Read the links and unlinks of the record'), address);
  const match = matchable
    ? await explainMatch(titled, address, {
        ...settings,
        decisions,
        reconciliationType: facts.reconciliationType,
      })
    : accountLevel;
  const uncounted = await whyUncounted(
    titled('Read why the record does not count'),
    address,
    settings.timezone,
  );
  return {
    address,
    facts,
    correction: await correctionOf(titled('Read the correction of the row'), address),
    matchable,
    uncounted,
    pendingWithdrawal: await pendingWithdrawalOf(
      titled('Read a withdrawal or restoration of its file that waits for the next run'),
      address,
      settings.timezone,
    ),
    delivery: await deliveryDecisionOf(titled('Read what was decided about its deliveries'), address),
    decisions,
    ...match,
    namedChargeback: await chargebackNamedBy(titled, match.keys),
    keys: isExcluded(uncounted) ? match.keys.map(withoutDecision) : match.keys,
    stored: await storedMatch(titled('Read the stored result'), address),
    comparisons: isExcluded(uncounted)
      ? []
      : await compareRecord(titled('Make every check of a single record'), address, settings),
    settlements: await settlementsOf(titled('Add up the settlements of the payment'), address),
    chargeback: await chargebackOf(titled('Read the chargeback id and the linked record'), address),
    discrepancies: await discrepanciesOf(
      titled,
      (tx) => tx`d.file_id = ${address.fileId} and d.line = ${address.line}`,
      settings.standingsOf,
    ),
  };
}

/** The chargeback whose id is the UniqueID, where that finds no payment. */
async function chargebackNamedBy(
  titled: TitledTx,
  keys: readonly KeyTrial[],
): Promise<NamedChargeback | null> {
  const trial = keys.find(({ key, outcome }) => key === 'UNIQUE_ID' && outcome === 'finds nothing');
  return trial === undefined || trial.value === null
    ? null
    : namedChargebackOf(titled('Find the chargeback that has the UniqueID'), trial.value);
}

/** No key decides about a record that does not count. */
function withoutDecision(trial: KeyTrial): KeyTrial {
  return trial.outcome === 'decides' ? { ...trial, outcome: 'would decide' } : trial;
}

const nothing: MatchResult = {
  status: 'NOT_APPLICABLE',
  matchedBy: null,
  matchedThrough: null,
  payments: [],
};
const accountLevel = { keys: [], family: [], familyFindsTooMany: false, narrowing: [], now: nothing };

async function recordFacts(tx: Tx, address: RecordAddress): Promise<RecordFacts & { matchable: boolean }> {
  const [facts] = await tx<(RecordFacts & { matchable: boolean })[]>`
    select r.reconciliation_type as "reconciliationType", r.payment_type as "paymentType",
      ${amountText(tx, tx`r.amount_minor`)} as amount, r.currency, r.settlement_date as "settlementDate",
      r.merchant_account_id as "merchantAccountId", r.settlement_currency as "settlementCurrency", ${isMatchable(tx)} as matchable
    from settlement_records r where r.file_id = ${address.fileId} and r.line = ${address.line}`;
  if (facts === undefined) throw new Error('a record that was just found does not exist any more');
  return { ...facts };
}

/** A discrepancy can be about a payment only: a missing settlement. */
async function explainPayment(
  titled: TitledTx,
  reference: string,
  { standingsOf }: ExplainSettings,
): Promise<Explanation> {
  const tx = titled('Find the payment of a discrepancy');
  const [payment] = await tx<CandidatePayment[]>`
    select p.id, p.payment_type as "paymentType", p.outcome, p.result_code as "resultCode",
      ${amountText(tx, tx`p.amount_minor`)} as amount, p.currency, p.requested_at as "requestedAt"
    from discrepancies d join payments p on p.key = d.payment_key
    where d.id = ${reference} and d.file_id is null`;
  if (payment === undefined)
    throw await recordNotFound(titled('Find out why there is no such record'), reference);
  const discrepancies = await discrepanciesOf(titled, (handle) => handle`d.id = ${reference}`, standingsOf);
  return { kind: 'payment', payment: { ...payment }, discrepancies };
}
