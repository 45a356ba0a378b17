import fc from 'fast-check';
import type { Tx } from '../../src/db/client.js';
import { addPart } from '../../src/db/parts/record-parts.js';
import { isDivided } from '../../src/db/shards/is-divided.js';
import { itemRows, type ItemView } from '../../src/items/item-rows.js';
import { withoutAccepted } from '../../src/matching/discrepancies/forget-accepted.js';
import { noteOwnBookings } from '../../src/matching/chargebacks/removed-chargebacks.js';
import type { RemovedFiles } from '../../src/matching/removed-records.js';
import { noteRemovedSettlements } from '../../src/matching/removed-settlements.js';
import { readFileStates } from '../../src/retention/file-states.js';
import { limitsOfRecords } from '../../src/retention/limits.js';
import { planRecords } from '../../src/retention/old-records.js';
import { detachMonth, judgeMonth, readOldMonths } from '../../src/retention/old-months.js';
import { fileId } from '../../src/values/ids.js';
import type { TestRepeat } from './model-deliveries.js';
import { payment, record, storeRecords, type TestRecord } from './scenario.js';

/**
 * Worlds in which months of records are removed between the runs, and files bring removed records again. Each run has
 * one file of each world, each in its own month.
 */
/** The months of the files; a run on the 20th takes them in. */
export const months = [1, 2, 3, 4, 5, 6, 7] as const;
/** So short that a month is old when the next one ends. */
export const due = { settlementDueDays: 5, lookbackDays: 10 };

/** What happens in one world. */
export interface RemovalHistory {
  readonly corrections: 'ask' | 'replace' | 'add';
  readonly records: readonly PlannedRecord[];
  /** Which later files bring which records again. */
  readonly repeats: readonly { readonly record: number; readonly month: number }[];
  /** What people do after each run. */
  readonly acts: readonly (readonly Act[])[];
}

interface PlannedRecord {
  readonly month: number;
  readonly fields: Partial<TestRecord>;
}

/** What a person does; `which` is a place among the items that can be decided so. */
export type Act =
  | { readonly kind: 'supersede' | 'keep-both' | 'accept'; readonly which: number }
  | { readonly kind: 'undo'; readonly which: number }
  | { readonly kind: 'withdraw' | 'restore'; readonly month: number };

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);

const plannedRecord: fc.Arbitrary<PlannedRecord> = fc.record({
  month: oneOf(1, 1, 2, 2, 3, 3, 4, 5, 6),
  fields: fc.record({
    reconciliationType: oneOf('SETTLED', 'CHARGEBACK', 'CHARGEBACK', 'CHARGEBACK', 'CHARGEBACK REVERSAL'),
    uniqueId: oneOf('p1', 'p1', 'p1', 'p1', 'p2'),
    settlementTxId: oneOf('STL-1', 'STL-1', 'STL-1', 'STL-2', null),
    amount: oneOf(5000n, 6000n, 10000n),
    settlementStatus: oneOf('SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS', 'FAILED'),
  }),
});

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    arbitrary: fc.record({ kind: oneOf('supersede' as const, 'keep-both' as const), which: fc.nat(9) }),
    weight: 4,
  },
  { arbitrary: fc.record({ kind: oneOf('accept' as const), which: fc.nat(9) }), weight: 1 },
  { arbitrary: fc.record({ kind: oneOf('undo' as const), which: fc.nat(9) }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: oneOf('withdraw' as const, 'restore' as const),
      month: fc.integer({ min: 1, max: 6 }),
    }),
    weight: 1,
  },
);

/** A few records of two payments, several of which correct each other. */
export const arbitraryRemovalHistory: fc.Arbitrary<RemovalHistory> = fc.record({
  corrections: oneOf('ask', 'ask', 'replace', 'replace', 'add'),
  records: fc.array(plannedRecord, { minLength: 2, maxLength: 8, size: 'max' }),
  repeats: fc.array(fc.record({ record: fc.nat(7), month: oneOf(2, 3, 4, 5, 5, 6, 6, 7, 7) }), {
    maxLength: 8,
    size: 'max',
  }),
  acts: fc.tuple(...months.map(() => fc.array(act, { maxLength: 3 }))),
});

/** The ids of the files of a month: one for each world. */
const firstFileOf = (month: number): number => 10_000 * month + 1;
const fileOf = (month: number, world: number): number => firstFileOf(month) + world;
const day = (month: number, of: number): string => `2025-0${month}-${of.toString().padStart(2, '0')}`;

/** The as-of date of a run. */
export const asOfRun = (month: number): string => day(month, 20);

/** The source of the files of a world. */
export const sourceOf = (world: number): string => `world-${world}`;

const idOf = (name: string, world: number): string => `${name}w${world}x`;

/** They were made so early that no run looks for their settlement. */
export const paymentsOfWorld = (world: number) =>
  ['p1', 'p2'].map((id) => payment(idOf(id, world), { requestedAt: '2024-12-01T10:00:00Z' }));

/** The records of a world as they arrive; what is stored knows where each of them is now. */
export class DeliveredWorld {
  readonly #history: RemovalHistory;
  readonly #world: number;
  /** By name: where the record is stored. */
  readonly #stored = new Map<string, TestRecord>();
  /** Every place at which a record was ever stored, with its name. */
  readonly places = new Map<string, string>();

  constructor(history: RemovalHistory, world: number) {
    this.#history = history;
    this.#world = world;
  }

  get acts(): RemovalHistory['acts'] {
    return this.#history.acts;
  }

  /** What the file of a month has. */
  arriving(month: number): {
    readonly records: readonly TestRecord[];
    readonly repeats: readonly TestRepeat[];
  } {
    const numbers = [
      ...this.#history.records.flatMap((each, index) => (each.month === month ? [index] : [])),
      ...this.#history.repeats.flatMap((each) => (each.month === month ? [each.record] : [])),
    ];
    const records: TestRecord[] = [];
    const repeats: TestRepeat[] = [];
    for (const [index, number] of [...new Set(numbers)].entries()) {
      const planned = this.#history.records[number];
      if (planned === undefined || planned.month > month) continue;
      const name = `r${number}w${this.#world}`;
      const known = this.#stored.get(name);
      const place = { source: sourceOf(this.#world), file: fileOf(month, this.#world), line: index + 2 };
      if (known === undefined) {
        const { uniqueId, ...fields } = planned.fields;
        const made = record(name, {
          ...fields,
          ...place,
          uniqueId: payment(idOf(uniqueId ?? '', this.#world)).id,
          settlementDate: day(planned.month, 10 + (number % 3)),
        });
        records.push(made);
        this.#stored.set(name, made);
        this.places.set(`${made.file}:${made.line}`, name);
      } else repeats.push({ ...place, record: known });
    }
    return { records, repeats };
  }

  /** Forgets the records of removed files: they come again as new ones. */
  forget(isRemoved: (file: number) => boolean): void {
    for (const [name, { file }] of this.#stored) if (isRemoved(file)) this.#stored.delete(name);
  }
}

/** Stores what arrives in a month, in a part of the records that can be removed. */
export async function storeMonth(
  tx: Tx,
  { month, run }: { readonly month: number; readonly run: number },
  worlds: readonly DeliveredWorld[],
): Promise<void> {
  const first = fileId(firstFileOf(month));
  const end = fileId(firstFileOf(month + 1));
  await tx`insert into record_parts (first_file_id, end_file_id, own_file, month)
    values (${first}, ${end}, false, ${day(month, 1)})`;
  // With shards, one part contains the records of all files.
  if (!(await isDivided(tx))) await addPart(tx, { firstFileId: first, endFileId: end, ownFile: false });
  const arriving = worlds.map((world) => world.arriving(month));
  await storeRecords(
    tx,
    run,
    arriving.flatMap(({ records }) => records),
    arriving.flatMap(({ repeats }) => repeats),
  );
}

/** What people do in a world after a run. */
export async function decide(tx: Tx, view: ItemView, world: number, acts: readonly Act[]): Promise<void> {
  for (const each of acts) {
    if ('month' in each) await withdraw(tx, each.kind, fileOf(each.month, world));
    else if (each.kind === 'undo') await undo(tx, sourceOf(world), each.which);
    else await decideAbout(tx, view, { source: sourceOf(world), ...each });
  }
}

/** The items that are not resolved, as a select. Call it inside a statement: a select that is awaited is sent. */
const items = (tx: Tx, view: ItemView, isOnShards: boolean) =>
  itemRows(tx, { ...view, isOnShards, looksUpRecords: true }, { wanted: tx`d.resolved_run is null` });

async function decideAbout(
  tx: Tx,
  view: ItemView,
  { source, kind, which }: { source: string; kind: 'supersede' | 'keep-both' | 'accept'; which: number },
): Promise<void> {
  const rows = await tx<{ id: string }[]>`
    select i.id from (${items(tx, view, await isDivided(tx))}) i join settlement_files f on f.id = i.file_id
    where f.source = ${source} and f.status = 'loaded'
      and ${kind === 'accept' ? tx`i.status = 'OPEN' and i.code <> 'RECORD_REDELIVERED'` : tx`i.code = 'RECORD_REDELIVERED'`}
    order by 1`;
  const chosen = rows[which % Math.max(1, rows.length)];
  if (chosen !== undefined) await store(tx, view, kind, [chosen.id]);
}

async function store(tx: Tx, view: ItemView, kind: string, ids: readonly string[]): Promise<void> {
  await tx`
    insert into decisions (item, file_id, line, kind, basis, author, decided_on, decided_at, origin)
    select i.id, i.file_id, i.line, ${kind}::decision_kind, i.facts, 'anna', ${view.asOf}, now(), 'command'
    from (${items(tx, view, await isDivided(tx))}) i where i.id = any (string_to_array(${ids.join(',')}, ',')) order by 1`;
}

async function undo(tx: Tx, source: string, which: number): Promise<void> {
  const rows = await tx<{ number: string; item: string }[]>`
    select max(d.number)::text as number, d.item from decisions d join settlement_files f on f.id = d.file_id
    where f.source = ${source} and f.status = 'loaded' and d.kind <> 'undo'
      and not exists (select from decisions u where u.kind = 'undo' and u.refers_to = d.number)
    group by d.item order by 2`;
  const chosen = rows[which % Math.max(1, rows.length)];
  if (chosen === undefined) return;
  await tx`insert into decisions (item, kind, refers_to, basis, author, decided_on, decided_at, origin)
    values (${chosen.item}, 'undo', ${chosen.number}, 'b', 'anna', '2025-01-01', now(), 'command')`;
}

async function withdraw(tx: Tx, kind: 'withdraw' | 'restore', file: number): Promise<void> {
  await tx`
    insert into file_withdrawals (file_id, kind, reason, author, decided_at)
    select f.id, ${kind}, 'r', 'anna', now() from settlement_files f
    where f.id = ${file} and f.status = 'loaded' and ${kind === 'withdraw'} is distinct from coalesce((
      select w.kind = 'withdraw' from file_withdrawals w where w.file_id = f.id order by w.number desc limit 1), false)`;
}

/** Accepts what is open about the records of the months before one, and about their payments. */
export async function acceptOld(tx: Tx, view: ItemView, until: number): Promise<void> {
  const rows = await tx<{ id: string }[]>`
    select i.id from (${items(tx, view, await isDivided(tx))}) i
    where i.status = 'OPEN' and (i.file_id < ${firstFileOf(until)} or i.payment_key in (
      select m.payment_key from record_matches m where m.file_id < ${firstFileOf(until)}))`;
  await store(
    tx,
    view,
    'accept',
    rows.map(({ id }) => id),
  );
}

/** Decides about most records that were delivered again: what is open keeps its month. */
export async function decideRedelivered(tx: Tx, view: ItemView): Promise<void> {
  const rows = await tx<{ id: string }[]>`
    select i.id from (${items(tx, view, await isDivided(tx))}) i where i.status = 'OPEN' and i.code = 'RECORD_REDELIVERED' order by 1`;
  const ids = rows.map(({ id }) => id);
  await store(
    tx,
    view,
    'supersede',
    ids.filter((_, index) => index % 4 < 2),
  );
  await store(
    tx,
    view,
    'keep-both',
    ids.filter((_, index) => index % 4 === 2),
  );
}

/** Removes months as `recon retire` or `recon purge` does it. */
export async function removeMonths(
  tx: Tx,
  view: ItemView,
  { until, by }: { readonly until: number; readonly by: 'retire' | 'purge' },
): Promise<void> {
  const files = await readFileStates(tx, view);
  const limits = limitsOfRecords(day(until, 1), view.asOf, due);
  if (by === 'purge') {
    const { asOf: now, timezone } = view;
    const places = { dataDirectory: '', reportFileMode: 0o600, deliverTo: [] };
    const plan = await planRecords(tx, { limits, files, timezone, now, ...places });
    await plan.apply(tx);
    return;
  }
  for (const month of await readOldMonths(tx, day(until, 1))) {
    if (judgeMonth(month, files, limits) !== 'remove') continue;
    await ((await isDivided(tx)) ? removeFromShards(tx, month) : detachMonth(tx, month));
  }
}

/**
 * Makes shards look as if a month had been retired before the division: its results are on any shard, and its records
 * on none.
 */
async function removeFromShards(tx: Tx, month: RemovedFiles): Promise<void> {
  const isOfMonth = tx`file_id >= ${month.firstFileId} and file_id < ${month.endFileId}`;
  await noteRemovedSettlements(tx, month);
  await noteOwnBookings(tx, month);
  await tx`delete from settlement_records where ${isOfMonth}`;
  await tx`create temp table results_of_month as select * from record_matches where ${isOfMonth}`;
  await tx`delete from record_matches where ${isOfMonth}`;
  await tx`update results_of_month set shard = file_id % 2 + 1`;
  await tx`insert into record_matches select * from results_of_month`;
  await tx`drop table results_of_month`;
  await tx`update discrepancies set ${withoutAccepted(tx)} where ${isOfMonth} and accepted_at_risk_minor is not null`;
  await tx`update settlement_files set status = 'retired'
    where id >= ${month.firstFileId} and id < ${month.endFileId}`;
}

/** The files whose records were removed. */
export async function removedFiles(tx: Tx): Promise<ReadonlySet<number>> {
  const rows = await tx<{ id: number }[]>`select id from settlement_files where status = 'retired'`;
  return new Set(rows.map(({ id }) => id));
}
