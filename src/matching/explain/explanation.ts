import type { DiscrepancyCode, Severity } from '../../findings/discrepancy-codes.js';
import type { ItemStanding } from '../../findings/open-item.js';
import type { Allowances } from '../allowances.js';
import type { Tx } from '../fragment.js';
import type { AttributeSettings, MatchedBy } from '../matching-keys.js';
import type { RecordAddress } from './find-record.js';
import type { DeliveryDecision } from './delivery-decision.js';
import type { NamedChargeback } from './named-chargeback.js';
import type { PendingWithdrawal } from './pending-withdrawal.js';
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
  /** Of the days that are named. */
  readonly timezone: string;
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
      /** What was asked for, such as a SettlementTxId that several records have. */
      readonly reference: string;
      /** At most 50, by file and line. */
      readonly possibilities: readonly RecordAddress[];
    };

/** A record: how it was matched, what it was compared with, and what is wrong with it. */
export interface ExplainedRecord {
  /** Where the record is: its file and line. */
  readonly address: RecordAddress;
  /** The cells that matching and checks begin with. */
  readonly facts: RecordFacts;
  /** How the row came in, where it was rejected first; null for an ordinary record. */
  readonly correction: ExplainedCorrection | null;
  /** Why the record does not count, or takes part in no sum; null for all others. */
  readonly uncounted: UncountedRecord | null;
  /** Null if no withdrawal or restoration of its file waits for the next run. */
  readonly pendingWithdrawal: PendingWithdrawal | null;
  /** Null where nobody decided about two deliveries of the record and it replaces none. */
  readonly delivery: DeliveryDecision | null;
  /** False for a fee of the account, which matches nothing. */
  readonly matchable: boolean;
  /** The links and unlinks of the record that are in effect (design 4.9). */
  readonly decisions: readonly ExplainedDecision[];
  /** Every key, strongest first. */
  readonly keys: readonly KeyTrial[];
  /** The chargeback that the record names as its payment, and to which it is never matched; null for all others. */
  readonly namedChargeback: NamedChargeback | null;
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
  /** SETTLED, CHARGEBACK, CHARGEBACK REVERSAL or FEE (catalogue 2.27). */
  readonly reconciliationType: string;
  /** Of the record, such as DEBIT or REFUND; payments have other codes. */
  readonly paymentType: string;
  /** `123.45`, in `currency`. */
  readonly amount: string;
  /** A code of ISO 4217, as is `settlementCurrency`. */
  readonly currency: string;
  /** `yyyy-MM-dd`, in the time zone of the clearing institute. */
  readonly settlementDate: string;
  /** 32 letters or digits; the entity of the payment, if they agree. */
  readonly merchantAccountId: string;
  /** The currency of SettlementAmount, in which the money moved. */
  readonly settlementCurrency: string;
}

/** A rejected row that a person corrected (design 4.9). */
export interface ExplainedCorrection {
  /** Who gave the sheet back, and on which day. */
  readonly by: string;
  /** `yyyy-MM-dd`. */
  readonly on: string;
  /** Its name, and the line of the row in it. */
  readonly sheet: string;
  /** The line of the row in that sheet. */
  readonly sheetLine: number;
  /** Why the original row was rejected. */
  readonly problems: string;
}

/** What a person decided about the payment of a record. */
export interface ExplainedDecision {
  /** `link` settles the record to the payment, `unlink` keeps it from that payment. */
  readonly kind: 'link' | 'unlink';
  /** The payment that the record belongs to, or does not belong to. */
  readonly payment: string;
  /** Who decided, as the decision names the person. */
  readonly by: string;
  /** `yyyy-MM-dd`. */
  readonly on: string;
  /** Null if none was given. */
  readonly reason: string | null;
}

/** A key of the record, and which payments it found. */
export interface KeyTrial {
  /** The key by its name in the column MatchedBy (design 4.4). */
  readonly key: MatchedBy;
  /** The record's values for this key; null if it has none. */
  readonly value: string | null;
  /** What the key contributed; only one key decides. */
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
  /** The payments with this value, before narrowing; empty where the key was not needed. */
  readonly found: readonly CandidatePayment[];
}

/** A payment that a key found. */
export interface CandidatePayment {
  /** 32 letters or digits: UniqueID names it. */
  readonly id: string;
  /** PA, DB, CD, CP, RV or RF (operations 3.1). */
  readonly paymentType: string;
  /** SUCCESS, PENDING or FAILED. */
  readonly outcome: string;
  /** The code that `outcome` follows from. */
  readonly resultCode: string;
  /** `123.45`, in `currency`. */
  readonly amount: string;
  /** A code of ISO 4217. */
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
  /** Payment ids that passed. */
  readonly kept: readonly string[];
  /** Payment ids that did not pass. */
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
  /** The discrepancy that the check may find (design 4.6). */
  readonly code: DiscrepancyCode;
  /** How severe that discrepancy is, whether it was found or not. */
  readonly severity: Severity;
  /** `does not apply`: a check for other kinds of records, or one that needs a value that is missing. */
  readonly verdict: 'in order' | 'discrepancy' | 'does not apply';
  /** Both null where the check does not apply. */
  readonly expected: string | null;
  /** What was found, to compare with `expected`. */
  readonly actual: string | null;
}

/** A record that counts towards the amount of the payment. */
export interface SettlementLine {
  /** The name of the settlement file. */
  readonly file: string;
  /** The first physical line of its row. */
  readonly line: number;
  /** `yyyy-MM-dd`; with `settlementTxId`, the first of what these lines are sorted by (design 4.6). */
  readonly settlementDate: string;
  readonly settlementTxId: string | null;
  /** The amount of the record, as `123.45`. */
  readonly amount: string;
  /** The sum up to this record and with it, without duplicates. */
  readonly sum: string;
  /** A DUPLICATE_SETTLEMENT, which is not part of the sum. */
  readonly duplicate: boolean;
  /** What the sum is compared with. */
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
  /** The other record of the pair, the first of several reversals; null as long as none counts. */
  readonly counterpart: { readonly file: string; readonly line: number } | null;
  /** Of a reversal its chargeback; of a chargeback its reversals, each of which may have returned a part of it. */
  readonly counterparts: readonly ExplainedCounterpart[];
}

/** A record with the same chargeback id, and the amount that is booked for it. */
export interface ExplainedCounterpart {
  readonly file: string;
  readonly line: number;
  /** `123.45`, in `currency`. */
  readonly amount: string;
  readonly currency: string;
}

/** A discrepancy of the record or payment, open or resolved. */
export interface ExplainedDiscrepancy extends ItemStanding {
  /** The DiscrepancyId. */
  readonly id: string;
  /** One of design 4.6. */
  readonly code: DiscrepancyCode;
  /** `info` for an AMOUNT_MISMATCH within its tolerance. */
  readonly severity: Severity;
  /** As the report shows it: an amount, a type, a date or ids; null if the code has none. */
  readonly expected: string | null;
  /** What was found instead, in the same form. */
  readonly actual: string | null;
  /** `123.45`; null where the finding is not about an amount. */
  readonly difference: string | null;
  /** The currency of `difference`; null with it. */
  readonly differenceCurrency: string | null;
  /** A sentence for finance. */
  readonly message: string;
  /** What to do about it: the advice for its code. */
  readonly remedy: string;
  /** The run that found it first. */
  readonly firstSeenRun: RunId;
  /** Null while it holds, accepted or not. */
  readonly resolvedRun: RunId | null;
}
