import { formatAmount } from '../../src/values/money.js';
import type { Tx } from '../../src/db/client.js';
import type { RunScope } from '../../src/db/run-scope.js';
import { readItemStandings } from '../../src/items/item-standings.js';
import type { ExplainSettings } from '../../src/matching/explain/explanation.js';
import { runMatching, type MatchingResult, type MatchingSettings } from '../../src/matching/run-matching.js';
import { runId } from '../../src/values/ids.js';

export const asOf = '2026-11-20';

export const settings: Omit<MatchingSettings, 'runId'> = {
  attributes: { enabled: true, windowHours: 24 },
  maxPaymentsPerKey: 1000,
  allowances: { tolerance: new Map(), brandAliases: new Map() },
  timezone: 'UTC',
  settlementDueDays: 5,
  lookbackDays: 60,
  corrections: { test: 'add' },
};

/** Those of `recon explain`. */
export const explainSettings: ExplainSettings = {
  attributes: settings.attributes,
  maxPaymentsPerKey: settings.maxPaymentsPerKey,
  allowances: settings.allowances,
  timezone: settings.timezone,
  standingsOf: (tx, ids) => readItemStandings(tx, { asOf, timezone: settings.timezone }, ids),
};

/** Matches as a run does, within the transaction of a test. */
export async function matchRun(
  tx: Tx,
  run: number,
  changes: Partial<MatchingSettings> & { asOf?: string } = {},
): Promise<{ assigned: number; reversed: number }> {
  const scope: RunScope = { kind: 'run', runId: runId(run), asOf: changes.asOf ?? asOf };
  return counts(await matchScope(tx, scope, { ...settings, runId: runId(run), ...changes }));
}

/**
 * A matching leaves its work tables until its transaction ends, and tests match several times in one. What the former
 * ones noted gets the numbers of earlier transactions, so that this one relies on it.
 */
export async function matchScope(tx: Tx, scope: RunScope, asked: MatchingSettings): Promise<MatchingResult> {
  await tx`discard temp`;
  await tx`update settlement_checks set own_transaction = 2 * run_id, oldest_transaction = 2 * run_id + 1
    where own_transaction = pg_current_xact_id()::text::bigint`;
  return runMatching((work) => work(tx), scope, asked);
}

const counts = ({ assigned, reversed }: MatchingResult) => ({ assigned, reversed });

/** Matches as a re-run does, over everything: from the day on which the oldest payment of a test was due. */
export async function matchRange(
  tx: Tx,
  run: number,
  range: { from: string; to: string } = { from: '2026-09-26', to: '2026-12-31' },
  changes: Partial<MatchingSettings> = {},
): Promise<{ assigned: number; reversed: number }> {
  const scope: RunScope = { kind: 'range', ...range, asOf };
  return counts(await matchScope(tx, scope, { ...settings, runId: runId(run), ...changes }));
}

/** `name/occurrence` → the match of the record, as one line of text. */
export async function matchesOf(tx: Tx, names: ReadonlyMap<string, string>): Promise<Record<string, string>> {
  const rows = await tx<
    {
      fingerprint: string;
      occurrence: number;
      status: string;
      by: string | null;
      through: string | null;
      ids: string | null;
      cb: string | null;
    }[]
  >`
    select r.fingerprint, r.occurrence, m.status, m.matched_by as by, m.matched_through as through, l.chargeback_id as cb,
      coalesce(p.id, (select string_agg(cp.id, ',' order by cp.id) from match_candidates c
        join payments cp on cp.key = c.payment_key where c.file_id = r.file_id and c.line = r.line)) as ids
    from settlement_records r
    left join record_matches m using (file_id, line)
    left join payments p on p.key = m.payment_key
    left join chargeback_links l using (file_id, line)
    order by r.fingerprint, r.occurrence`;
  return Object.fromEntries(
    rows.map((row) => [
      `${names.get(row.fingerprint) ?? row.fingerprint}/${row.occurrence}`,
      [row.status, row.by, row.through, shortened(row.ids), row.cb]
        .filter((part) => part !== null && part !== '')
        .join(' '),
    ]),
  );
}

/** `p1000…` → `p1`. */
export function shortened(ids: string | null): string {
  return (ids ?? '').replace(/([a-z]\w*?)0{8,}/g, '$1');
}

export interface Finding {
  readonly code: string;
  readonly subject: string;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly difference: string | null;
}

/** The open discrepancies, ordered; the subject is `name/occurrence` of the record or the payment. */
export async function openFindings(tx: Tx, names: ReadonlyMap<string, string>): Promise<Finding[]> {
  const rows = await tx<
    {
      code: string;
      fingerprint: string | null;
      occurrence: number | null;
      payment: string | null;
      expected: string | null;
      actual: string | null;
      difference: bigint | null;
    }[]
  >`
    select d.code, r.fingerprint, r.occurrence, p.id as payment, d.expected, d.actual,
      d.difference_minor as difference
    from discrepancies d
    left join settlement_records r on r.file_id = d.file_id and r.line = d.line
    left join payments p on p.key = d.payment_key
    where d.resolved_run is null`;
  return rows
    .map((row) => ({
      code: row.code,
      subject:
        row.fingerprint === null
          ? shortened(row.payment)
          : `${names.get(row.fingerprint) ?? row.fingerprint}/${row.occurrence ?? 0}`,
      expected: row.expected,
      actual: row.actual,
      difference: row.difference === null ? null : formatAmount(row.difference),
    }))
    .sort(byCodeAndSubject);
}

/** `name/occurrence` of the record that shows each AMOUNT_MISMATCH within the tolerance, ordered. */
export async function toleratedOf(tx: Tx, names: ReadonlyMap<string, string>): Promise<string[]> {
  const rows = await tx<{ fingerprint: string; occurrence: number }[]>`
    select r.fingerprint, r.occurrence from discrepancies d
    join settlement_records r on r.file_id = d.file_id and r.line = d.line
    where d.code = 'AMOUNT_MISMATCH' and d.severity = 'info' and d.resolved_run is null`;
  return rows
    .map(({ fingerprint, occurrence }) => `${names.get(fingerprint) ?? fingerprint}/${occurrence}`)
    .sort();
}

export function byCodeAndSubject(a: Finding, b: Finding): number {
  const left = `${a.code} ${a.subject}`;
  const right = `${b.code} ${b.subject}`;
  return left < right ? -1 : left > right ? 1 : 0;
}
