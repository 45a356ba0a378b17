import type { MatchingSettings } from '../../src/matching/run-matching.js';
import { bookedOf, due, namesOf, reversalsOf } from './arbitrary-input.js';
import { matchesOf, openFindings, toleratedOf, type matchRun } from './findings.js';
import { sourcesOf } from './histories.js';
import { judgeRuns, type Judged } from './model.js';
import { merged, recordsOf, type Worlds } from './worlds.js';

/**
 * Each day of the records apart: a re-run of one must judge those of the others again whose payments gain or lose room.
 */
export const days = ['2026-11-18', '2026-11-19', '2026-11-20'].map((day) => ({ from: day, to: day }));

/** A transaction in which runs match. */
export type MatchTx = Parameters<typeof matchRun>[0];

/** What the program stored. Chargeback ids are left out, and so is the key of a record that does not count. */
export async function storedJudgement(tx: MatchTx, worlds: Worlds): Promise<Judged> {
  const names = namesOf(recordsOf(worlds));
  const matches = Object.entries(await matchesOf(tx, names)).map(([key, line]) => [
    key,
    line.startsWith('NOT_APPLICABLE') ? 'NOT_APPLICABLE' : line.replace(/ [0-9a-f]{32}$/, ''),
  ]);
  return {
    matches: Object.fromEntries(matches) as Record<string, string>,
    findings: await openFindings(tx, names),
    reversals: await reversalsOf(tx, names),
    booked: await bookedOf(tx, names),
    tolerated: await toleratedOf(tx, names),
  };
}

/** What the model says after several runs: what was known in each of them. */
export function judgementOfRuns(runs: readonly Worlds[]): Judged {
  const last = runs.at(-1) ?? [];
  return merged(
    last.map((_, index) =>
      judgeRuns(
        runs.flatMap((known) => known[index] ?? []),
        due,
      ),
    ),
  );
}

/** The settings that the worlds of one database share, with the mode of each source. */
export function settingsOf(worlds: Worlds): Partial<MatchingSettings> {
  const [first] = worlds;
  if (first === undefined) throw new Error('there is at least one world');
  const { tolerance, brandAliases, maxPaymentsPerKey } = first.rules;
  const modes = worlds.flatMap(({ records, rules }, index) =>
    [...records.slice(0, 1).map(({ source }) => source), ...sourcesOf(index)].map(
      (source) => [source, rules.corrections] as const,
    ),
  );
  return {
    corrections: Object.fromEntries(modes),
    allowances: { tolerance, brandAliases },
    maxPaymentsPerKey,
  };
}

/** Every result with the physical version of its row, so that an update which changes nothing is visible. */
export async function storedState(tx: MatchTx): Promise<unknown> {
  return tx`
    select 'match' as kind, ctid::text, m::text from record_matches m
    union all select 'candidate', ctid::text, c::text from match_candidates c
    union all select 'awaited', ctid::text, a::text from awaited_identifiers a
    union all select 'discrepancy', ctid::text, d::text from discrepancies d
    union all select 'link', ctid::text, l::text from chargeback_links l
    union all select 'uncounted', ctid::text, u::text from uncounted_records u
    order by 1, 3`;
}

/**
 * Every result, finding and booking, with the ids of payments instead of their keys: two databases with the same
 * history have the same.
 */
export async function namedState(tx: MatchTx): Promise<readonly object[]> {
  return tx<object[]>`
    select 'match' as kind, m.file_id, m.line,
      concat_ws(' ', m.status, m.matched_by, m.matched_through, m.run_id, p.id) as what
      from record_matches m left join payments p on p.key = m.payment_key
    union all select 'candidate', c.file_id, c.line, p.id from match_candidates c join payments p on p.key = c.payment_key
    union all select 'room', c.file_id, c.line, concat_ws(' ', p.id, c.has_room)
      from room_candidates c join payments p on p.key = c.payment_key
    union all select 'awaited', file_id, line, concat_ws(' ', identifier, value) from awaited_identifiers
    union all select 'link', l.file_id, l.line,
      concat_ws(' ', l.kind, l.chargeback_id, l.booking_id, l.active, l.run_id, p.id)
      from chargeback_links l join payments p on p.key = l.payment_key
    union all select 'uncounted', file_id, line, (to_jsonb(u) - 'file_id' - 'line')::text from uncounted_records u
    union all select 'applied link', a.file_id, a.line, concat_ws(' ', a.kind, p.id)
      from applied_links a join payments p on p.key = a.payment_key
    union all select 'finding', d.file_id, d.line, (to_jsonb(d) - 'payment_key')::text || coalesce(p.id, '')
      from discrepancies d left join payments p on p.key = d.payment_key
    union all select 'booking', null, null,
      concat_ws(' ', id, payment_type, amount_minor, currency, result_code, referenced_payment_id)
      from payments where payment_type in ('CB', 'CR')
    order by 1, 2, 3, 4`;
}
