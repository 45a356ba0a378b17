import type { Delivery } from './model-deliveries.js';
import type { Match } from './model.js';
import type { TestPayment, TestRecord } from './scenario.js';

/** The chargeback id of a record: who had it first, the chargeback that it stands for, and the payment. */
interface Link {
  readonly chargeback: TestRecord;
  readonly payment: TestPayment;
  active: boolean;
}

/**
 * The part of the plain model about chargeback ids (design 4.5, 4.8). Unlike everything else it has a history: an id that
 * was assigned stays, so what arrives in an earlier run is linked first.
 */
export class Chargebacks {
  private readonly links = new Map<TestRecord, Link>();
  /** The match that a record had when it got its id: it keeps that payment. */
  readonly kept = new Map<TestRecord, Match>();

  /** Assigns ids after a run has matched these records, which are in the order of design 4.6. */
  assign(
    records: readonly TestRecord[],
    matches: ReadonlyMap<TestRecord, Match>,
    deliveries: ReadonlyMap<TestRecord, Delivery>,
  ): void {
    for (const [record, link] of this.links) link.active = !deliveries.has(record);
    const unlinked = (kind: string) =>
      records.filter(
        (each) =>
          each.reconciliationType === kind &&
          matches.get(each)?.status === 'MATCHED' &&
          !deliveries.has(each) &&
          !this.links.has(each),
      );
    const link = (record: TestRecord, chargeback: TestRecord) => {
      const match = matches.get(record);
      const payment = match?.payments[0];
      if (match === undefined || payment === undefined)
        throw new Error('a record without payment has no link');
      this.links.set(record, { chargeback, payment, active: true });
      this.kept.set(record, match);
    };
    for (const record of [...unlinked('CHARGEBACK'), ...unlinked('CHARGEBACK REVERSAL')]) {
      const inherited = this.inheritedBy(record, deliveries);
      if (inherited !== undefined) link(record, inherited.chargeback);
    }
    for (const record of unlinked('CHARGEBACK')) link(record, record);
    for (const reversal of unlinked('CHARGEBACK REVERSAL')) {
      const payment = matches.get(reversal)?.payments[0];
      const open = records.filter((each) => this.isOpen(each, payment));
      const chosen =
        open.find((each) => each.amount === reversal.amount && each.currency === reversal.currency) ??
        open[0];
      const taken = chosen === undefined ? undefined : this.links.get(chosen);
      if (taken !== undefined) link(reversal, taken.chargeback);
    }
  }

  /** The chargeback that counts now and that a reversal is linked to, both being in effect. */
  reversedBy(reversal: TestRecord): TestRecord | undefined {
    const link = this.links.get(reversal);
    if (link?.active !== true) return undefined;
    return [...this.links].find(
      ([record, other]) =>
        record.reconciliationType === 'CHARGEBACK' && other.active && other.chargeback === link.chargeback,
    )?.[0];
  }

  /** The chargebacks of a payment that are in effect. */
  of(payment: TestPayment): TestRecord[] {
    return [...this.links]
      .filter(
        ([record, link]) =>
          record.reconciliationType === 'CHARGEBACK' && link.active && link.payment === payment,
      )
      .map(([record]) => record);
  }

  private isOpen(record: TestRecord, payment: TestPayment | undefined): boolean {
    const link = this.links.get(record);
    const isReversed = [...this.links].some(
      ([other, { chargeback, active }]) =>
        other.reconciliationType === 'CHARGEBACK REVERSAL' && active && chargeback === link?.chargeback,
    );
    return (
      record.reconciliationType === 'CHARGEBACK' &&
      link?.active === true &&
      link.payment === payment &&
      !isReversed
    );
  }

  /** The link of the nearest record that this one superseded, directly or through others. */
  private inheritedBy(record: TestRecord, deliveries: ReadonlyMap<TestRecord, Delivery>): Link | undefined {
    const superseded = [...deliveries].find(
      ([, each]) => each.state === 'superseded' && each.by === record,
    )?.[0];
    if (superseded === undefined) return undefined;
    return this.links.get(superseded) ?? this.inheritedBy(superseded, deliveries);
  }
}
