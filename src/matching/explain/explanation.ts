import type { DiscrepancyCode, Severity } from '../../findings/discrepancy-codes.js';
import type { ItemStanding } from '../../findings/open-item.js';
import type { Allowances } from '../allowances.js';
import type { Tx } from '../fragment.js';
import type { AttributeSettings, MatchedBy } from '../matching-keys.js';
import type { RecordAddress } from './find-record.js';
import type { DeliveryDecision } from './delivery-decision.js';
import type { UncountedRecord } from './why-uncounted.js';
import type { RunId } from '../../values/ids.js';

/** The transaction's handle for statements under one title. */
export type TitledTx = (title: string) => Tx;

/** The settings that decide what a record matches, and what counts as wrong with it. */
export interface ExplainSettings {
  readonly attributes: AttributeSettings;
  /** A key that finds more payments than this identifies none (`matching.maxPaymentsPerKey`). */
  readonly maxPaymentsPerKey: number;
  readonly allowances: Pick<Allowances, 'brandAliases'>;
  /** The state of items by their DiscrepancyId. Decisions belong to another part of the program. */
  readonly standingsOf: (tx: Tx, ids: readonly string[]) => Promise<ReadonlyMap<string, ItemStanding>>;
}

/** Why a record matched as it did, as data: amounts are texts, so it can be printed as JSON. */
export type Explanation =
  | { readonly kind: 'record'; readonly record: ExplainedRecord }
  | {
      readonly kind: 'payment';
      readonly payment: CandidatePayment;
      readonly discrepancies: readonly ExplainedDiscrepancy[];
    }
  /** Several records have the reference; none is chosen. */
  | {
      readonly kind: 'ambiguous';
      readonly reference: string;
      readonly possibilities: readonly RecordAddress[];
    };

/** A record: how it was matched, what it was compared with, and what is wrong with it. */
export interface ExplainedRecord {
  readonly address: RecordAddress;
  readonly facts: RecordFacts;
  /** How the row came in, where it was rejected first; null for an ordinary record. */
  readonly correction: ExplainedCorrection | null;
  /** Why the record does not count, or takes part in no sum; null for all others. */
  readonly uncounted: UncountedRecord | null;
  /** Null where nobody decided about two deliveries of the record and it replaces none. */
  readonly delivery: DeliveryDecision | null;
  /** False for a fee of the account, which matches nothing. */
  readonly matchable: boolean;
  /** The links and unlinks of the record that are in effect (design 4.9). */
  readonly decisions: readonly ExplainedDecision[];
  /** Every key, strongest first. */
  readonly keys: readonly KeyTrial[];
  /** The members of their family whose type fits, where no payment that the key found is of such a type. */
  readonly family: readonly CandidatePayment[];
  /** Narrowing would leave more of these members than `matching.maxPaymentsPerKey`, so none is identified or shown. */
  readonly familyFindsTooMany: boolean;
  /** The steps in their order; empty unless several payments were found. */
  readonly narrowing: readonly ExplainedStep[];
  /** What the rules give now, against the payments as they are. */
  readonly now: MatchResult;
  /** What is stored; null before the record's first run. */
  readonly stored: (MatchResult & { readonly runId: RunId }) | null;
  /** Empty for a record that does not count: no check is made of it. */
  readonly comparisons: readonly Comparison[];
  /** All settlements of the matched payment that count towards its amount, in order. */
  readonly settlements: readonly SettlementLine[];
  /** Null unless the record has a ChargebackId. */
  readonly chargeback: ExplainedChargeback | null;
  /** Open and resolved ones. */
  readonly discrepancies: readonly ExplainedDiscrepancy[];
}

/** What the file says of the record. */
export interface RecordFacts {
  readonly reconciliationType: string;
  readonly paymentType: string;
  /** `123.45`, in `currency`. */
  readonly amount: string;
  readonly currency: string;
  readonly settlementDate: string;
  readonly merchantAccountId: string;
  readonly settlementCurrency: string;
}

/** A rejected row that a person corrected (design 4.9). */
export interface ExplainedCorrection {
  /** Who gave the sheet back, and on which day. */
  readonly by: string;
  readonly on: string;
  /** Its name, and the line of the row in it. */
  readonly sheet: string;
  readonly sheetLine: number;
  /** Why the original row was rejected. */
  readonly problems: string;
}

/** What a person decided about the payment of a record. */
export interface ExplainedDecision {
  readonly kind: 'link' | 'unlink';
  /** The payment that the record belongs to, or does not belong to. */
  readonly payment: string;
  readonly by: string;
  /** `yyyy-MM-dd`. */
  readonly on: string;
  readonly reason: string | null;
}

/** A key of the record, and which payments it found. */
export interface KeyTrial {
  readonly key: MatchedBy;
  /** The record's values for this key; null if it has none. */
  readonly value: string | null;
  readonly outcome:
    | 'decides'
    /** It finds a payment, but the record does not count: its file was withdrawn, or another record replaces it. */
    | 'would decide'
    | 'finds nothing'
    | 'finds only unlinked'
    | 'finds too many'
    /** Too many payments of the family fit a chargeback, which is not booked on a payment that does not fit. */
    | 'finds no fitting payment'
    | 'has no value'
    | 'not needed'
    | 'switched off';
  readonly found: readonly CandidatePayment[];
}

/** A payment that a key found. */
export interface CandidatePayment {
  readonly id: string;
  readonly paymentType: string;
  /** SUCCESS, PENDING or FAILED. */
  readonly outcome: string;
  readonly resultCode: string;
  /** `123.45`, in `currency`. */
  readonly amount: string;
  readonly currency: string;
  /** As PostgreSQL writes a moment, with its offset. */
  readonly requestedAt: string;
}

/** A step that narrows several payments down (design 4.4). */
export interface ExplainedStep {
  /** TYPE, SUCCESS, AMOUNT or ROOM. */
  readonly step: string;
  /** What a payment must have to pass, in words. */
  readonly keeps: string;
  /** Payment ids. */
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
  /** No candidate passed, so the step was left out. */
  readonly skipped: boolean;
}

/** What a record is matched to. */
export interface MatchResult {
  /** MATCHED, MULTIPLE_MATCHES, NOT_MATCHED or NOT_APPLICABLE. */
  readonly status: string;
  /** MANUAL: a person linked the record to the payment. */
  readonly matchedBy: MatchedBy | 'MANUAL' | null;
  /** REFERENCE when the payment is one of the family of those that the key found. */
  readonly matchedThrough: string | null;
  /** Their ids, in ascending order: none, one, or all that remain. */
  readonly payments: readonly string[];
}

/** A check of the record against its payment, and its result. */
export interface Comparison {
  readonly code: DiscrepancyCode;
  readonly severity: Severity;
  readonly verdict: 'in order' | 'discrepancy' | 'does not apply';
  /** Both null where the check does not apply. */
  readonly expected: string | null;
  readonly actual: string | null;
}

/** A record that counts towards the amount of the payment. */
export interface SettlementLine {
  readonly file: string;
  readonly line: number;
  readonly settlementDate: string;
  readonly settlementTxId: string | null;
  readonly amount: string;
  /** The sum up to this record and with it, without duplicates. */
  readonly sum: string;
  /** A DUPLICATE_SETTLEMENT, which is not part of the sum. */
  readonly duplicate: boolean;
  readonly paymentAmount: string;
  /** Of all these amounts. */
  readonly currency: string;
}

/** The chargeback or reversal that was booked for the record. */
export interface ExplainedChargeback {
  readonly chargebackId: string;
  /** The payment that was charged back. */
  readonly paymentId: string;
  /** CHARGEBACK or CHARGEBACK REVERSAL: what this record is. */
  readonly kind: string;
  /** The run that gave the id. */
  readonly runId: RunId;
  /** The other record of the pair; null as long as none counts. */
  readonly counterpart: { readonly file: string; readonly line: number } | null;
}

/** A discrepancy of the record or payment, open or resolved. */
export interface ExplainedDiscrepancy extends ItemStanding {
  /** The DiscrepancyId. */
  readonly id: string;
  readonly code: DiscrepancyCode;
  readonly severity: Severity;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly difference: string | null;
  readonly differenceCurrency: string | null;
  readonly message: string;
  /** What to do about it: the advice for its code. */
  readonly remedy: string;
  readonly firstSeenRun: RunId;
  /** Null while it holds, accepted or not. */
  readonly resolvedRun: RunId | null;
}
