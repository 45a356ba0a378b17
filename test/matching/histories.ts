import fc from 'fast-check';
import type { Tx } from '../../src/db/client.js';
import { arbitraryInput, withLinks } from './arbitrary-input.js';
import type { Finding } from './findings.js';
import { keyOf, type MatchingInput } from './model.js';
import { undecided, type DeliveryDecisions, type TestRepeat } from './model-deliveries.js';
import { id32, payment, record, type TestRecord } from './scenario.js';
import { fileOfWorld, runOfFile } from './worlds.js';

/**
 * What happens to a world over several runs (design 4.8): files repeat rows of earlier ones, are withdrawn and
 * restored, and people decide which of two deliveries holds, and take that back. They also link and unlink records as
 * soon as these arrive.
 */
export interface History extends MatchingInput {
  readonly plan: Plan;
}

interface Plan {
  /** A later file (2 to 4) repeats a record, given by its place among the records. */
  readonly repeats: readonly { readonly record: number; readonly file: number; readonly after: number }[];
  /** Which of two sources delivers each of the files 1 to 4. */
  readonly sources: readonly number[];
  /** What people do before each run. */
  readonly acts: readonly (readonly Act[])[];
}

type Act =
  | { readonly kind: 'withdraw' | 'restore'; readonly file: number }
  | { readonly kind: 'supersede' | 'keep-both' | 'undo'; readonly record: number };

/** Files 1 to 4 arrive in the first four runs; people act before each run. */
export const runs = [1, 2, 3, 4, 5] as const;

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: oneOf<'withdraw' | 'restore'>('withdraw', 'restore'),
    file: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({
    kind: oneOf<'supersede' | 'keep-both' | 'undo'>('supersede', 'keep-both', 'undo'),
    record: fc.nat({ max: 20 }),
  }),
);

const plan: fc.Arbitrary<Plan> = fc.record({
  repeats: fc.array(
    fc.record({
      record: fc.nat({ max: 20 }),
      file: fc.integer({ min: 2, max: 4 }),
      after: fc.integer({ min: 1, max: 12 }),
    }),
    { maxLength: 8 },
  ),
  sources: fc.tuple(...[1, 2, 3, 4].map(() => oneOf(0, 0, 1))),
  acts: fc.tuple(...runs.map(() => fc.array(act, { maxLength: 3 }))),
});

const references: readonly Partial<TestRecord>[] = [
  { uniqueId: id32('p1') },
  { uniqueId: id32('p1') },
  { uniqueId: id32('p2') },
  { uniqueId: id32('p9') },
  { shortId: 's1' },
  { connectorTxIds: ['c1', null, null] },
];

/** Worlds in which most records are deliveries of a few, under every key: the payments of `s1` are two. */
const redelivering: fc.Arbitrary<MatchingInput> = fc.record({
  payments: fc.subarray([
    payment('p1', { requestedAt: '2026-11-10T10:00:00Z', shortId: 's1' }),
    payment('p2', { requestedAt: '2026-11-10T10:00:00Z', connectorTxIds: ['c1', null, null] }),
    payment('p3', { requestedAt: '2026-11-10T10:00:00Z', type: 'RF', references: id32('p1') }),
    payment('p4', { requestedAt: '2026-11-10T10:00:00Z', shortId: 's1' }),
  ]),
  rules: fc.record({
    corrections: oneOf('ask', 'ask', 'replace', 'replace', 'add'),
    tolerance: fc.constant(new Map()),
    brandAliases: fc.constant(new Map()),
    maxPaymentsPerKey: fc.constant(1000),
  }),
  records: fc
    .tuple(
      ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) =>
        fc
          .record({
            kind: oneOf(
              ['SETTLED', 'DEBIT'],
              ['SETTLED', 'DEBIT'],
              ['SETTLED', 'REFUND'],
              ['CHARGEBACK', 'DEBIT'],
              ['CHARGEBACK REVERSAL', 'DEBIT'],
            ),
            reference: oneOf(...references),
            settlementTxId: oneOf(null, 'STL-1', 'STL-1', 'STL-1', 'STL-2'),
            amount: oneOf(5000n, 9999n, 10000n),
            settlementDate: oneOf('2026-11-18', '2026-11-19', '2026-11-20'),
            settlementStatus: oneOf('SUCCESS', 'SUCCESS', 'SUCCESS', 'FAILED'),
          })
          .map(({ kind: [reconciliationType = '', paymentType = ''], reference, ...fields }) =>
            record(name, { ...fields, ...reference, reconciliationType, paymentType }),
          ),
      ),
    )
    .chain((all) => fc.subarray(all)),
});

export const arbitraryHistory: fc.Arbitrary<History> = fc
  .tuple(fc.oneof({ arbitrary: redelivering, weight: 3 }, { arbitrary: arbitraryInput, weight: 1 }), plan)
  .chain(([input, planned]) => withLinks(input).map((linked) => ({ ...linked, plan: planned })));

const decision = fc.record({
  kind: oneOf<'supersede' | 'keep-both' | 'undo'>('supersede', 'supersede', 'supersede', 'keep-both', 'undo'),
  record: fc.nat({ max: 2 }),
});

/** What the deliveries of one record may differ in. */
const delivered = {
  file: oneOf(1, 1, 2, 2, 3),
  amount: oneOf(0n, 4000n, 6000n, 10000n),
  settlementDate: oneOf('2026-11-18', '2026-11-19', '2026-11-20'),
  settlementStatus: oneOf('SUCCESS', 'SUCCESS', 'SUCCESS', 'FAILED'),
};

const kindOfChargeback = oneOf('CHARGEBACK', 'CHARGEBACK REVERSAL');

/**
 * One chargeback or reversal that the first files correct again and again, and others of its payment. Later files bring
 * them again as they were.
 */
export const correctedAgain: fc.Arbitrary<History> = fc
  .record({
    corrections: oneOf<'ask' | 'replace'>('ask', 'ask', 'ask', 'replace'),
    kind: kindOfChargeback,
    deliveries: fc.array(fc.record(delivered), { minLength: 2, maxLength: 3, size: 'max' }),
    others: fc.array(
      fc.record({
        ...delivered,
        reconciliationType: kindOfChargeback,
        settlementTxId: oneOf('STL-1', 'STL-2'),
        uniqueId: oneOf(id32('p1'), id32('p1'), id32('p2')),
      }),
      { maxLength: 3, size: 'max' },
    ),
    plan: fc.record({
      repeats: fc.array(
        fc.record({
          record: oneOf(0, 0, 1, 1, 2, 3, 4, 5),
          file: oneOf(2, 3, 3, 4, 4),
          after: fc.integer({ min: 1, max: 12 }),
        }),
        { minLength: 2, maxLength: 8, size: 'max' },
      ),
      sources: fc.tuple(...[1, 2, 3, 4].map(() => oneOf(0, 0, 0, 0, 0, 1))),
      acts: fc.tuple(
        ...runs.map(() =>
          fc.array(fc.oneof({ arbitrary: act, weight: 1 }, { arbitrary: decision, weight: 3 }), {
            maxLength: 3,
            size: 'max',
          }),
        ),
      ),
    }),
  })
  .map(({ corrections, kind, deliveries, others, plan: planned }) => {
    const one = { reconciliationType: kind, settlementTxId: 'STL-1', uniqueId: id32('p1') };
    const records = [...deliveries.map((fields) => ({ ...fields, ...one })), ...others];
    return {
      payments: ['p1', 'p2'].map((id) => payment(id, { requestedAt: '2026-11-19T10:00:00Z' })),
      rules: { corrections, tolerance: new Map(), brandAliases: new Map(), maxPaymentsPerKey: 1000 },
      records: records.map((fields, index) => record(`r${index}`, { ...fields, line: index + 2 })),
      plan: planned,
    };
  });

/** A history as it goes on: what is in effect now, which the model judges. */
export class World {
  readonly #history: History;
  readonly #index: number;
  readonly #repeats: readonly TestRepeat[];
  #run = 0;
  #decisions: DeliveryDecisions = undecided;
  /** The decisions about each record that were not taken back, the latest last. */
  readonly #made = new Map<
    TestRecord,
    { readonly kind: 'supersede' | 'keep-both'; readonly number: bigint }[]
  >();
  /** The records that were ever found to be delivered again: a person can decide about these. */
  readonly #askable = new Set<TestRecord>();

  constructor(history: History, index: number) {
    // Space for repeated rows between the lines of a file.
    const records = history.records.map((each) => ({
      ...each,
      line: 10 * each.line,
      source: sourceOf(history, each.file, index),
    }));
    this.#history = { ...history, records };
    this.#index = index;
    this.#repeats = repeatsOf(this.#history, index);
  }

  /** What is known in the present run. */
  get input(): MatchingInput {
    const arrived = ({ file }: { readonly file: number }) => runOfFile(file) <= this.#run;
    return {
      ...this.#history,
      records: this.#history.records.filter(arrived),
      repeats: this.#repeats.filter(arrived),
      decisions: this.#decisions,
    };
  }

  /** The rows of the file that arrives in the next run, which is the present one from now on. */
  arriving(): { readonly records: readonly TestRecord[]; readonly repeats: readonly TestRepeat[] } {
    this.#run += 1;
    const arrives = ({ file }: { readonly file: number }) => runOfFile(file) === this.#run;
    return { records: this.#history.records.filter(arrives), repeats: this.#repeats.filter(arrives) };
  }

  /** Notes what the model found to be delivered again. */
  found(findings: readonly Finding[]): void {
    const subjects = findings
      .filter(({ code }) => code === 'RECORD_REDELIVERED')
      .map(({ subject }) => subject);
    for (const each of this.#history.records) if (subjects.includes(keyOf(each))) this.#askable.add(each);
  }

  /** What people do after the present run. */
  async act(tx: Tx): Promise<void> {
    for (const each of this.#history.plan.acts[this.#run] ?? []) {
      if ('file' in each) await this.#withdraw(tx, each.kind, fileOfWorld(each.file, this.#index));
      else await this.#decide(tx, each.kind, each.record);
    }
  }

  async #withdraw(tx: Tx, kind: 'withdraw' | 'restore', file: number): Promise<void> {
    const { withdrawn } = this.#decisions;
    const hasArrived = [...this.input.records, ...(this.input.repeats ?? [])].some(
      (each) => each.file === file,
    );
    if (!hasArrived || withdrawn.includes(file) === (kind === 'withdraw')) return;
    await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
      values (${file}, ${kind}, 'r', 'anna', now())`;
    this.#decisions = {
      ...this.#decisions,
      withdrawn: kind === 'withdraw' ? [...withdrawn, file] : withdrawn.filter((each) => each !== file),
    };
  }

  async #decide(tx: Tx, kind: 'supersede' | 'keep-both' | 'undo', which: number): Promise<void> {
    const about = [...this.#askable][which % Math.max(1, this.#askable.size)];
    if (about === undefined) return;
    const made = this.#made.get(about) ?? [];
    const taken = kind === 'undo' ? made.at(-1) : undefined;
    if (kind === 'undo' && taken === undefined) return;
    const [row] = await tx<{ number: bigint }[]>`
      insert into decisions (item, file_id, line, kind, refers_to, basis, author, decided_on, decided_at, origin)
      values ('x', ${about.file}, ${about.line}, ${kind}, ${taken?.number.toString() ?? null}, 'b', 'anna',
        '2026-11-22', now(), 'command')
      returning number`;
    const left = kind === 'undo' ? made.slice(0, -1) : [...made, { kind, number: row?.number ?? 0n }];
    this.#made.set(about, left);
    const at = Number(row?.number ?? 0n);
    const undone = Number(taken?.number ?? 0n);
    this.#decisions = {
      ...this.#decisions,
      made:
        kind === 'undo'
          ? this.#decisions.made.map((each) => (each.at === undone ? { ...each, undoneAt: at } : each))
          : [...this.#decisions.made, { record: about, kind, at, undoneAt: null }],
    };
  }
}

/** The files of a world come from two sources. */
export const sourcesOf = (index: number): readonly string[] => [`world-${index}`, `other-${index}`];

function sourceOf({ plan: { sources } }: History, file: number, index: number): string {
  return sourcesOf(index)[sources[runOfFile(file) - 1] ?? 0] ?? '';
}

function repeatsOf(history: History, index: number): TestRepeat[] {
  const {
    records,
    plan: { repeats },
  } = history;
  const found = new Map<string, TestRepeat>();
  for (const [place, each] of repeats.entries()) {
    const repeated = records[each.record % Math.max(1, records.length)];
    const file = fileOfWorld(each.file, index);
    if (repeated === undefined || repeated.file >= file) continue;
    found.set(`${repeated.name}/${repeated.occurrence} ${file}`, {
      source: sourceOf(history, file, index),
      file,
      line: 10 * each.after + place + 1,
      record: repeated,
    });
  }
  return [...found.values()];
}
