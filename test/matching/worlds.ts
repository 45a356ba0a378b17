import fc from 'fast-check';
import { arbitraryShared, rearranged } from './arbitrary-input.js';
import { byCodeAndSubject } from './findings.js';
import type { Judged, MatchingInput } from './model.js';
import type { TestPayment, TestRecord } from './scenario.js';

/**
 * Several random worlds in one database. A matching of eight records takes as long as one of a hundred: about 175
 * statements, which cost 0.2 s on an idle machine whatever they find. So the worlds are matched together, and the model
 * judges each of them alone: nothing in one world may change anything in another.
 */
export type Worlds = readonly MatchingInput[];

/** The worlds of one database at most; about 15 on average. */
const mostWorlds = 40;

/** How many databases hold about this number of worlds. */
export const databasesOf = (worlds: number): number => Math.ceil(worlds / 15);

/**
 * Worlds with one configuration. They are apart in all identifiers of payments and in their source, not in
 * SettlementTxIds or days.
 */
export function arbitraryWorlds<Input extends MatchingInput>(
  inputs: fc.Arbitrary<Input>,
): fc.Arbitrary<readonly Input[]> {
  // Any number of worlds is equally likely; fast-check would prefer one or two.
  return fc
    .noBias(
      fc.record({
        shared: arbitraryShared,
        inputs: fc.array(inputs, { minLength: 1, maxLength: mostWorlds, size: 'max' }),
      }),
    )
    .map(({ shared, inputs: all }) =>
      all.map((input, index) => placed({ ...input, rules: { ...input.rules, ...shared } }, index)),
    );
}

/** The records of each world in another order, in other files and on other lines. */
export function rearrangedRecords<Input extends MatchingInput>(
  worlds: readonly Input[],
  shuffle: Iterable<number>,
): Input[] {
  return worlds.map((input, index) => ({
    ...input,
    records: rearranged(input.records, shuffle).map((record) => inOwnFile(record, index)),
  }));
}

/** The files of a world are 1 to 4. In the database they have numbers that no other world has, in the same order. */
export const fileOfWorld = (file: number, index: number): number => 100 * file + index;

/** In which run a file arrives. */
export const runOfFile = (file: number): number => Math.floor(file / 100);

const inOwnFile = (record: TestRecord, index: number): TestRecord => ({
  ...record,
  file: fileOfWorld(record.file, index),
});

/** What is known in each run: the records of one more file of each world. */
export function runsOf(worlds: Worlds): { readonly added: TestRecord[]; readonly known: Worlds }[] {
  return [1, 2, 3, 4].map((run) => ({
    added: recordsOf(worlds).filter(({ file }) => runOfFile(file) === run),
    known: worlds.map((input) => ({
      ...input,
      records: input.records.filter(({ file }) => runOfFile(file) <= run),
    })),
  }));
}

export const recordsOf = (worlds: Worlds): TestRecord[] => worlds.flatMap(({ records }) => records);
export const paymentsOf = (worlds: Worlds): TestPayment[] => worlds.flatMap(({ payments }) => payments);

/** What the model says about all worlds. */
export function merged(judged: readonly Judged[]): Judged {
  return {
    matches: Object.assign({}, ...judged.map(({ matches }) => matches)) as Judged['matches'],
    findings: judged.flatMap(({ findings }) => findings).sort(byCodeAndSubject),
    reversals: Object.assign({}, ...judged.map(({ reversals }) => reversals)) as Judged['reversals'],
    booked: Object.assign({}, ...judged.map(({ booked }) => booked)) as Judged['booked'],
    tolerated: judged.flatMap(({ tolerated }) => tolerated).sort(),
  };
}

/** Marks every identifier of a world with two letters: `p1` of the second world is `abp1`. */
function placed<Input extends MatchingInput>(input: Input, index: number): Input {
  const letter = (number: number) => String.fromCharCode('a'.charCodeAt(0) + number);
  const world = `${letter(Math.floor(index / 26))}${letter(index % 26)}`;
  const own = (text: string) => `${world}${text}`;
  const ownOrNull = (text: string | null) => (text === null ? null : own(text));
  const id = (text: string) => own(text).slice(0, text.length);
  const idOrNull = (text: string | null) => (text === null ? null : id(text));
  const three = ([a, b, c]: TestRecord['connectorTxIds']) =>
    [ownOrNull(a), ownOrNull(b), ownOrNull(c)] as const;
  return {
    ...input,
    payments: input.payments.map((payment) => ({
      ...payment,
      id: id(payment.id),
      shortId: ownOrNull(payment.shortId),
      connectorTxIds: three(payment.connectorTxIds),
      entityId: idOrNull(payment.entityId),
      references: idOrNull(payment.references),
    })),
    records: input.records.map((record) => ({
      ...inOwnFile(record, index),
      name: own(record.name),
      source: own('test'),
      merchantAccountId: id(record.merchantAccountId),
      uniqueId: idOrNull(record.uniqueId),
      shortId: ownOrNull(record.shortId),
      connectorTxIds: three(record.connectorTxIds),
      claimedTransactions: record.claimedTransactions?.split(',').map(id).join(',') ?? null,
    })),
    ...(input.links === undefined
      ? {}
      : {
          links: input.links.map((link) => ({
            ...link,
            record: own(link.record),
            payment: id(link.payment),
          })),
        }),
  };
}
