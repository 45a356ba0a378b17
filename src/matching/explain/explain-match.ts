import type { Allowances } from '../allowances.js';
import { unlessCrowded } from '../crowded-values.js';
import { amountText, textArray, type Fragment, type Tx } from '../fragment.js';
import { matchingKeys, type MatchedBy, type MatchingKey } from '../matching-keys.js';
import { narrow, narrowingColumns, type NarrowingFlags } from '../narrowing.js';
import { familiesOf } from '../references.js';
import { hasRoom } from '../narrow-by-room.js';
import { isBooked, typeFits } from '../type-fit.js';
import type {
  CandidatePayment,
  ExplainedDecision,
  ExplainedRecord,
  ExplainSettings,
  KeyTrial,
  TitledTx,
} from './explanation.js';
import type { RecordAddress } from './find-record.js';

type Candidate = CandidatePayment & NarrowingFlags;
type ExplainedMatch = Pick<ExplainedRecord, 'keys' | 'family' | 'familyFindsTooMany' | 'narrowing' | 'now'>;

/** Tries the keys in turn for one record, and narrows the payments that the first successful key finds. */
export async function explainMatch(
  titled: TitledTx,
  address: RecordAddress,
  settings: ExplainSettings & {
    readonly decisions: readonly ExplainedDecision[];
    readonly reconciliationType: string;
  },
): Promise<ExplainedMatch> {
  const { decisions, reconciliationType } = settings;
  const unlinked = decisions.filter(({ kind }) => kind === 'unlink').map(({ payment }) => payment);
  const mayMatch = ({ id }: CandidatePayment) => !unlinked.includes(id);
  const { keys, candidates } = await tryKeys(titled, address, settings, mayMatch);
  const needsFamily = candidates.length > 0 && !candidates.some(({ fitsType }) => fitsType);
  const fitting = needsFamily ? await fittingFamily(titled, address, candidates, mayMatch) : [];
  const familyFindsTooMany = leftWithoutRoom(fitting).length > settings.maxPaymentsPerKey;
  const family = familyFindsTooMany ? [] : fitting;
  const linked = decisions.find(({ kind }) => kind === 'link');
  if (familyFindsTooMany && isBooked(reconciliationType) && linked === undefined) {
    return {
      keys: keys.map(withoutFitting),
      family: [],
      familyFindsTooMany,
      narrowing: [],
      now: { status: 'NOT_MATCHED', matchedBy: null, matchedThrough: null, payments: [] },
    };
  }
  return {
    keys,
    family: family.map(withoutFlags),
    familyFindsTooMany,
    ...(linked === undefined
      ? matchFromCandidates(family.length > 0 ? family : candidates, keys, family.length > 0)
      : matchByLink(linked)),
  };
}

function withoutFitting(trial: KeyTrial): KeyTrial {
  return trial.outcome === 'decides' ? { ...trial, outcome: 'finds no fitting payment' } : trial;
}

/** All four keys are shown; a key that is switched off is not tried. */
async function tryKeys(
  titled: TitledTx,
  address: RecordAddress,
  settings: ExplainSettings,
  mayMatch: (payment: CandidatePayment) => boolean,
): Promise<{ readonly keys: readonly KeyTrial[]; readonly candidates: readonly Candidate[] }> {
  const { attributes, maxPaymentsPerKey, allowances } = settings;
  const tx = titled('Read the values of the keys');
  const values = await keyValues(tx, address, settings);
  const keys: KeyTrial[] = [];
  let candidates: readonly Candidate[] = [];
  for (const key of matchingKeys(tx, { ...attributes, enabled: true }, allowances.brandAliases)) {
    const value = values[key.name];
    const trial = { key: key.name, value, found: [] };
    if (key.name === 'ATTRIBUTES' && !attributes.enabled) keys.push({ ...trial, outcome: 'switched off' });
    else if (candidates.length > 0) keys.push({ ...trial, outcome: 'not needed' });
    else if (value === null) keys.push({ ...trial, outcome: 'has no value' });
    else {
      const found = await tryKey(titled(`Find payments by ${key.name}`), address, key, maxPaymentsPerKey);
      candidates = found.candidates.filter(mayMatch);
      const outcome = outcomeOf(found, candidates);
      const shown = outcome === 'finds only unlinked' ? found.candidates : candidates;
      keys.push({ ...trial, outcome, found: shown.map(withoutFlags) });
    }
  }
  return { keys, candidates };
}

/** An unlinked payment exists: "finds nothing" would make the reader look for it. */
function outcomeOf(
  { candidates, crowded }: { readonly candidates: readonly Candidate[]; readonly crowded: boolean },
  allowed: readonly Candidate[],
): KeyTrial['outcome'] {
  if (allowed.length > 0) return 'decides';
  if (candidates.length > 0) return 'finds only unlinked';
  return crowded ? 'finds too many' : 'finds nothing';
}

function matchByLink({ payment }: ExplainedDecision): Pick<ExplainedMatch, 'now' | 'narrowing'> {
  const now = { status: 'MATCHED', matchedBy: 'MANUAL', matchedThrough: null, payments: [payment] } as const;
  return { now, narrowing: [] };
}

function matchFromCandidates(
  candidates: readonly Candidate[],
  keys: readonly KeyTrial[],
  throughFamily: boolean,
): Pick<ExplainedMatch, 'now' | 'narrowing'> {
  const { left, steps } = narrow(candidates);
  const matchedBy = keys.find((trial) => trial.outcome === 'decides')?.key ?? null;
  const status = left.length === 0 ? 'NOT_MATCHED' : left.length === 1 ? 'MATCHED' : 'MULTIPLE_MATCHES';
  const ids = (payments: readonly Candidate[]) => payments.map((payment) => payment.id);
  return {
    now: { status, matchedBy, matchedThrough: throughFamily ? 'REFERENCE' : null, payments: ids(left) },
    narrowing:
      candidates.length < 2
        ? []
        : steps.map(({ name, keeps, kept, dropped, skipped }) => ({
            step: name,
            keeps,
            kept: ids(kept),
            dropped: ids(dropped),
            skipped,
          })),
  };
}

/** What narrowing leaves of the members of a family, without the step that depends on other records. */
function leftWithoutRoom(family: readonly Candidate[]): readonly Candidate[] {
  return narrow(family.map((payment) => ({ ...payment, hasRoom: null }))).left;
}

function withoutFlags({
  fitsType: _,
  succeeded: __,
  sameAmount: ___,
  hasRoom: ____,
  ...payment
}: Candidate): CandidatePayment {
  return payment;
}

/** The payments that one key finds, by ascending id, and whether a value of it is a placeholder. */
async function tryKey(
  tx: Tx,
  address: RecordAddress,
  key: MatchingKey,
  limit: number,
): Promise<{ readonly candidates: Candidate[]; readonly crowded: boolean }> {
  const found = key.alternatives
    .map(({ condition }): Fragment => {
      const payments = tx`select p.key from payments p where ${condition}`;
      return tx`select p.key, p.weight from settlement_records r cross join lateral ${unlessCrowded(tx, payments, limit)} p
      where r.file_id = ${address.fileId} and r.line = ${address.line}`;
    })
    .reduce((all, more) => tx`${all} union ${more}`);
  const candidates = await candidatesAmong(
    tx,
    address,
    tx`select key from (${found}) p where p.weight = 1`,
    tx`true`,
  );
  if (candidates.length > 0) return { candidates, crowded: false };
  const [row] = await tx<{ crowded: boolean }[]>`
    select exists (select from (${found}) p where p.weight > 1) as crowded`;
  return { candidates, crowded: row?.crowded === true };
}

/** The payments that reference those found, or are referenced by them, at any depth, and whose type fits. */
async function fittingFamily(
  titled: TitledTx,
  address: RecordAddress,
  found: readonly CandidatePayment[],
  mayMatch: (payment: CandidatePayment) => boolean,
): Promise<Candidate[]> {
  const tx = titled('Find the payments of their family whose type fits');
  const ids = textArray(
    tx,
    found.map(({ id }) => id),
  );
  const family = familiesOf(
    tx,
    tx`select p.key as start_key, p.key from payments p where p.id = any (${ids})`,
  );
  const fitting = await candidatesAmong(
    tx,
    address,
    tx`select payment_key from (${family}) family`,
    typeFits(tx),
  );
  return fitting.filter(mayMatch);
}

/** Each payment is looked up: as a join, PostgreSQL 15 compared all members of a family with all payments. */
async function candidatesAmong(
  tx: Tx,
  { fileId, line }: RecordAddress,
  keys: Fragment,
  condition: Fragment,
): Promise<Candidate[]> {
  const rows = await tx<
    (CandidatePayment & {
      fits_type: boolean;
      succeeded: boolean;
      same_amount: boolean;
      has_room: boolean | null;
    })[]
  >`
    select p.id, p.payment_type as "paymentType", p.outcome, p.result_code as "resultCode",
      ${amountText(tx, tx`p.amount_minor`)} as amount, p.currency, p.requested_at as "requestedAt",
      ${narrowingColumns(tx)}, case when r.reconciliation_type = 'SETTLED' then ${hasRoom(tx)} end as has_room
    from settlement_records r
    cross join lateral (select distinct key from (${keys}) k (key) offset 0) k
    cross join lateral (select p.* from payments p where p.key = k.key offset 0) p
    where r.file_id = ${fileId} and r.line = ${line} and ${condition}
    order by p.id`;
  return rows.map(({ fits_type, same_amount, has_room, ...payment }) => ({
    ...payment,
    fitsType: fits_type,
    sameAmount: same_amount,
    hasRoom: has_room,
  }));
}

/** ` or VISA` after a brand that has an alias. */
function orAlias(tx: Tx, brandAliases: Allowances['brandAliases']): Fragment {
  const cases = [...brandAliases].map(
    ([inFile, ofPayment]) => tx`when ${inFile}::text then ${ofPayment}::text`,
  );
  if (cases.length === 0) return tx``;
  return tx` || coalesce(' or ' || case r.brand ${cases.reduce((all, more) => tx`${all} ${more}`)} end, '')`;
}

/** The values of the record for each key, as text. */
async function keyValues(
  tx: Tx,
  { fileId, line }: RecordAddress,
  { attributes, allowances }: ExplainSettings,
): Promise<Readonly<Record<MatchedBy, string | null>>> {
  const [values] = await tx<Record<MatchedBy, string | null>[]>`
    select nullif(r.unique_id, '') as "UNIQUE_ID", nullif(r.short_id, '') as "SHORT_ID",
      nullif(concat_ws(', ', '1: ' || nullif(r.connector_tx_id1, ''), '2: ' || nullif(r.connector_tx_id2, ''),
        '3: ' || nullif(r.connector_tx_id3, '')), '') as "CONNECTOR_TX_ID",
      case when r.account_number_last4 <> '' and r.tx_request_time is not null then
        concat_ws(', ', 'merchant account ' || r.merchant_account_id,
          ${amountText(tx, tx`r.amount_minor`)} || ' ' || r.currency, 'last four ' || r.account_number_last4,
          nullif(r.brand, '')${orAlias(tx, allowances.brandAliases)},
          r.tx_request_time || ' ± ' || ${attributes.windowHours}::float8 || ' h')
      end as "ATTRIBUTES"
    from settlement_records r where r.file_id = ${fileId} and r.line = ${line}`;
  return values ?? { UNIQUE_ID: null, SHORT_ID: null, CONNECTOR_TX_ID: null, ATTRIBUTES: null };
}
