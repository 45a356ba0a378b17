import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  follows,
  judgeBreak,
  judgeEnd,
  type BrokenPlace,
  type ChainedEvent,
} from '../../src/audit/judge-chain.js';
import { beforeFirst, type AuditPlace } from '../../src/db/audit-log/audit-head.js';
import { auditHash, type HashedEvent } from '../../src/db/audit-log/audit-hash.js';

type Values = Pick<HashedEvent, 'author' | 'subject' | 'details'>;

const values: fc.Arbitrary<Values> = fc.record({
  author: fc.string({ maxLength: 6 }),
  subject: fc.string({ maxLength: 6 }),
  details: fc.json({ maxDepth: 1 }),
});

function link(before: AuditPlace, { author, subject, details }: Values): ChainedEvent {
  const event = {
    previousHash: before.hash,
    number: before.number + 1n,
    happenedAt: '2026-11-20T05:30:01.500000Z',
    action: 'decision.note',
    ...{ author, subject, details },
  };
  return { ...event, hash: auditHash(event) };
}

function chainOf(list: readonly Values[]): ChainedEvent[] {
  const chain: ChainedEvent[] = [];
  for (const each of list) chain.push(link(chain.at(-1) ?? beforeFirst, each));
  return chain;
}

/** What the command does with the rows of the table. */
function judge(stored: readonly ChainedEvent[], head: AuditPlace): BrokenPlace | null {
  const rows = [...stored].sort((one, other) => Number(one.number - other.number));
  let [hashBeforeLast, last] = [beforeFirst.hash, beforeFirst];
  for (const first of rows) {
    if (!follows(first, last)) {
      const { hash } = last;
      const successors = rows.filter(({ previousHash }) => previousHash === hash);
      return judgeBreak({ hashBeforeLast, last, first, successors, reach: head.number });
    }
    [hashBeforeLast, last] = [first.previousHash, first];
  }
  return judgeEnd(last, head);
}

const chain = fc.array(values, { minLength: 3, maxLength: 12 }).map(chainOf);
/** A chain with the positions of two of its events, the first before the second. */
const withPair = chain.chain((events) =>
  fc
    .tuple(fc.nat(events.length - 2), fc.nat(events.length - 2))
    .map(([a, b]) => ({ events, low: Math.min(a, b), high: Math.max(a, b) + 1 })),
);
const headOf = (events: readonly ChainedEvent[]): AuditPlace => events.at(-1) ?? beforeFirst;
const renumber = (event: ChainedEvent, by: bigint): ChainedEvent => ({ ...event, number: event.number + by });
const at = (index: number) => BigInt(index + 1);

describe('the audit log', () => {
  test('is intact as it was written', () => {
    fc.assert(fc.property(chain, (events) => judge(events, headOf(events)) === null));
  });

  test('with one changed value: that event was changed', () => {
    const changes = fc.constantFrom<(event: ChainedEvent) => ChainedEvent>(
      (event) => ({ ...event, author: `${event.author}x` }),
      (event) => ({ ...event, subject: `${event.subject}x` }),
      (event) => ({ ...event, details: `${event.details} ` }),
      (event) => ({ ...event, happenedAt: '2026-11-20T05:30:01.500001Z' }),
      (event) => ({ ...event, author: `${event.author}${event.subject}`, subject: '', action: 'x' }),
    );
    fc.assert(
      fc.property(withPair, changes, ({ events, low }, change) => {
        const stored = events.map((event, index) => (index === low ? change(event) : event));
        expect(judge(stored, headOf(events))).toMatchObject({ kind: 'changed', number: at(low) });
      }),
    );
  });

  test('with a changed value and a new hash: found at the event after it, or at the head', () => {
    fc.assert(
      fc.property(chain, fc.nat(), (events, position) => {
        const index = position % events.length;
        const stored = events.map((event, each) => {
          const forged = { ...event, author: `${event.author}x` };
          return each === index ? { ...forged, hash: auditHash(forged) } : event;
        });
        expect(judge(stored, headOf(events))).toMatchObject({ kind: 'changed', number: at(index) });
      }),
    );
  });

  test('without some events: these were removed, also when the others were numbered again', () => {
    fc.assert(
      fc.property(withPair, fc.boolean(), ({ events, low, high }, renumbers) => {
        const left = BigInt(high - low);
        const rest = events.slice(high).map((event) => (renumbers ? renumber(event, -left) : event));
        const broken = judge([...events.slice(0, low), ...rest], headOf(events));
        expect(broken).toMatchObject({ kind: 'removed', number: at(low) });
        const [first, last] = [at(low), at(high - 1)];
        const named = first === last ? `Event ${first} was` : `Events ${first} to ${last} were`;
        expect(broken?.message).toBe(`${named} removed.`);
      }),
    );
  });

  test('without its last events: the head shows it', () => {
    fc.assert(
      fc.property(chain, fc.integer({ min: 1, max: 3 }), (events, count) => {
        const stored = events.slice(0, -count);
        expect(judge(stored, headOf(events))).toMatchObject({ kind: 'removed', number: at(stored.length) });
      }),
    );
  });

  test('with an inserted event, linked or not, the others numbered again: that one was inserted', () => {
    fc.assert(
      fc.property(chain, values, fc.nat(), fc.boolean(), (events, more, position, isLinked) => {
        const index = position % events.length;
        const forged = link(events[index - 1] ?? beforeFirst, more);
        const inserted = isLinked ? forged : { ...forged, hash: 'f'.repeat(64) };
        const rest = events.slice(index).map((event) => renumber(event, 1n));
        const broken = judge([...events.slice(0, index), inserted, ...rest], headOf(events));
        expect(broken).toMatchObject({ kind: 'inserted', number: at(index) });
      }),
    );
  });

  test('with an event added at the end without the head: that one was inserted', () => {
    fc.assert(
      fc.property(chain, values, (events, more) => {
        const stored = [...events, link(headOf(events), more)];
        expect(judge(stored, headOf(events))).toMatchObject({ kind: 'inserted', number: at(events.length) });
      }),
    );
  });

  test('with two events in exchanged places: they were reordered', () => {
    fc.assert(
      fc.property(withPair, ({ events, low, high }) => {
        const [one, other] = [events[low], events[high]];
        if (one === undefined || other === undefined) throw new Error('both are in the chain');
        const stored = events.map((event) =>
          event === one
            ? { ...other, number: one.number }
            : event === other
              ? { ...one, number: other.number }
              : event,
        );
        expect(judge(stored, headOf(events))).toMatchObject({ kind: 'reordered', number: at(low) });
      }),
    );
  });
});
