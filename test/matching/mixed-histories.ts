import fc from 'fast-check';
import type { Tx } from '../../src/db/client.js';
import { arbitraryFates, type Fates } from './fates.js';
import { arbitraryHistory, correctedAgain, type History } from './histories.js';
import { keyOf, type TestLink } from './model.js';
import { fingerprintOf, type TestPayment, type TestRecord } from './scenario.js';

/**
 * A history in which everything happens at once: files are withdrawn and restored, deliveries are decided about,
 * payments come late and change, and people link and unlink records at any time, and take that back.
 */
export interface MixedHistory extends History, Fates {
  readonly linkActs: readonly LinkAct[];
}

interface LinkAct {
  /** After which run (1 to 4). */
  readonly after: number;
  /** The record and the payment, by their places among those that are known. */
  readonly record: number;
  readonly payment: number;
  readonly kind: 'link' | 'unlink' | 'undo';
}

const linkAct: fc.Arbitrary<LinkAct> = fc.record({
  after: fc.integer({ min: 1, max: 4 }),
  record: fc.nat({ max: 12 }),
  payment: fc.nat({ max: 5 }),
  kind: fc.constantFrom('link' as const, 'unlink' as const, 'undo' as const),
});

export const arbitraryMixedHistory: fc.Arbitrary<MixedHistory> = fc
  .tuple(arbitraryHistory, arbitraryFates, fc.array(linkAct, { maxLength: 8 }))
  .map(([history, { fates }, linkActs]) => ({ ...history, links: [], fates, linkActs }));

/** Histories of a few chargebacks, which files bring again, correct, and bring again as they were. */
export const arbitraryRedelivered: fc.Arbitrary<MixedHistory> = fc
  .tuple(correctedAgain, fc.array(linkAct, { maxLength: 1 }))
  .map(([history, linkActs]) => ({ ...history, links: [], fates: [], linkActs }));

interface MadeLink extends TestLink {
  readonly number: bigint;
  isUndone: boolean;
}

/** What people decided about the payments of records so far. */
export class LinkBook {
  readonly #acts: readonly LinkAct[];
  readonly #made: MadeLink[] = [];

  constructor({ linkActs }: MixedHistory) {
    this.#acts = linkActs;
  }

  /** The decisions that hold: the last link of a record, or the payments that it was unlinked from (design 4.9). */
  get inEffect(): readonly TestLink[] {
    const records = [...new Set(this.#made.map(({ record }) => record))];
    return records.flatMap((record): readonly TestLink[] => {
      const holding = this.#holdingOf(record);
      const last = holding.at(-1);
      if (last === undefined || last.kind === 'link') return last === undefined ? [] : [last];
      const isLinkedLater = (payment: string, index: number) =>
        holding.slice(index + 1).some((each) => each.kind === 'link' && each.payment === payment);
      return holding.filter(
        ({ kind, payment }, index) => kind === 'unlink' && !isLinkedLater(payment, index),
      );
    });
  }

  /** Makes the decisions that follow a run. */
  async act(
    tx: Tx,
    run: number,
    known: { readonly records: readonly TestRecord[]; readonly payments: readonly TestPayment[] },
  ): Promise<void> {
    // A fee settles no payment, and a chargeback is linked to what it takes back.
    const records = known.records.filter(({ reconciliationType }) => reconciliationType !== 'FEE');
    const payments = known.payments.filter(({ type }) => type !== 'CB');
    for (const { after, record: which, payment: chosen, kind } of this.#acts) {
      const record = records[which % Math.max(1, records.length)];
      const payment = payments[chosen % Math.max(1, payments.length)];
      if (after !== run || record === undefined || payment === undefined) continue;
      if (kind === 'undo') await this.#undo(tx, keyOf(record));
      else await this.#decide(tx, kind, record, payment);
    }
  }

  #holdingOf(record: string): readonly MadeLink[] {
    return this.#made.filter((each) => each.record === record && !each.isUndone);
  }

  async #undo(tx: Tx, record: string): Promise<void> {
    const last = this.#holdingOf(record).at(-1);
    if (last === undefined) return;
    last.isUndone = true;
    await tx`
      insert into decisions (item, kind, refers_to, basis, author, decided_on, decided_at, origin)
      values ('x', 'undo', ${last.number.toString()}, 'b', 'anna', '2026-11-22', now(), 'command')`;
  }

  async #decide(tx: Tx, kind: 'link' | 'unlink', record: TestRecord, payment: TestPayment): Promise<void> {
    const [row] = await tx<{ number: bigint }[]>`
      insert into decisions (item, file_id, line, kind, payment_key, basis, author, decided_on, decided_at, origin)
      select 'x', r.file_id, r.line, ${kind}, p.key, 'b', 'anna', '2026-11-22', now(), 'command'
      from settlement_records r, payments p
      where r.fingerprint = ${fingerprintOf(record.name)} and r.occurrence = ${record.occurrence}
        and p.id = ${payment.id}
      returning number`;
    if (row === undefined) return;
    this.#made.push({
      record: keyOf(record),
      kind,
      payment: payment.id,
      number: row.number,
      isUndone: false,
    });
  }
}
