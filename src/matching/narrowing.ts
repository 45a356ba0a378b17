import type { Fragment, Tx } from './fragment.js';
import { typeFits } from './type-fit.js';

/**
 * The one definition of how several payments are narrowed (design 4.4): steps in turn, each skipped if it
 * would leave none. Matching builds its SQL from it, `recon explain` and the tests run {@link narrow}.
 */
const narrowingSteps = [
  { name: 'TYPE', flag: 'fitsType', column: 'fits_type', keeps: 'payments whose type fits the record' },
  { name: 'SUCCESS', flag: 'succeeded', column: 'succeeded', keeps: 'payments that were a success' },
  {
    name: 'AMOUNT',
    flag: 'sameAmount',
    column: 'same_amount',
    keeps: 'payments of equal amount and currency',
  },
] as const;

/**
 * Step (d), for SETTLED records: the room depends on other records, so matching takes it once all others are decided.
 */
const roomStep = {
  name: 'ROOM',
  flag: 'hasRoom',
  keeps: 'payments that are not yet settled in full',
} as const;

/** What the steps check of one payment. */
export interface NarrowingFlags {
  readonly fitsType: boolean;
  readonly succeeded: boolean;
  readonly sameAmount: boolean;
  /** Null for a record that is not SETTLED, for which it is not asked. */
  readonly hasRoom: boolean | null;
}

/** A step of narrowing (design 4.4), with what passed it. */
export interface NarrowingStep<T> {
  readonly name: (typeof narrowingSteps)[number]['name'] | 'ROOM';
  readonly keeps: string;
  readonly kept: readonly T[];
  readonly dropped: readonly T[];
  /** The step would have left no payment, so all were kept. */
  readonly skipped: boolean;
}

/** Narrows candidates and returns what each step did; `left` is what remains after the last. */
export function narrow<T extends NarrowingFlags>(
  candidates: readonly T[],
): { readonly left: readonly T[]; readonly steps: readonly NarrowingStep<T>[] } {
  let left = candidates;
  const steps: NarrowingStep<T>[] = [];
  const byRoom = candidates.some((candidate) => candidate.hasRoom !== null);
  for (const { name, flag, keeps } of [...narrowingSteps, ...(byRoom ? [roomStep] : [])]) {
    // Room is measured with the record's own result, so it is only asked of payments that the record may have to share.
    if (name === 'ROOM' && left.length === 1) break;
    const passing = left.filter((candidate) => candidate[flag] === true);
    const skipped = passing.length === 0 && left.length > 0;
    const kept = skipped ? left : passing;
    const dropped = left.filter((candidate) => !kept.includes(candidate));
    steps.push({ name, keeps, kept, dropped, skipped });
    left = kept;
  }
  return { left, steps };
}

/** The flags of {@link NarrowingFlags} but the room as columns, over `r` (settlement_records) and `p` (payments). */
export function narrowingColumns(tx: Tx): Fragment {
  return tx`${typeFits(tx)} as fits_type, p.outcome = 'SUCCESS' as succeeded,
    p.amount_minor = r.amount_minor and p.currency = r.currency as same_amount`;
}

/**
 * {@link narrow} for many records at once: rows of `hits` (file_id, line, matched_by, payment_key and the
 * columns of {@link narrowingColumns}) that survive every step.
 */
export function narrowed(tx: Tx, hits: Fragment): Fragment {
  return narrowingSteps.reduce(
    (rows, { column }, index) => tx`
      select * from (
        select rows.*, bool_or(${tx(column)}) over (partition by file_id, line) as ${tx(`any_${index}`)}
        from (${rows}) rows
      ) judged where ${tx(column)} or not ${tx(`any_${index}`)}`,
    hits,
  );
}
