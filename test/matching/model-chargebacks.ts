import type { Delivery } from './model-deliveries.js';
import type { Match } from './model.js';
import type { TestPayment, TestRecord } from './scenario.js';

/** The chargeback id of a record, and its booking. */
interface Link {
  /** The chargeback that the id is derived from: of a reversal, the one that it reverses. */
  readonly chargeback: TestRecord;
  /** The record that got the booking first: another one where the record superseded it. */
  readonly owner: TestRecord;
  readonly payment: TestPayment;
  active: boolean;
}

/** The money of a record that failed did not move. */
const hasMoved = ({ settlementStatus }: TestRecord): boolean => settlementStatus === 'SUCCESS';

const byPlace = (a: TestRecord, b: TestRecord): number => a.file - b.file || a.line - b.line;

const isReversal = ({ reconciliationType }: TestRecord): boolean =>
  reconciliationType === 'CHARGEBACK REVERSAL';

/**
 * The part of the plain model about chargeback ids (design 4.5, 4.8). Unlike everything else it has a history: an id
 * that was assigned stays, so what arrives in an earlier run is linked first.
 */
export class Chargebacks {
  private readonly links = new Map<TestRecord, Link>();
  /** The chargebacks of reversals that lost their link in this run, because another reversal has one to it. */
  private readonly former = new Map<TestRecord, TestRecord>();
  /** The match that a record had when it got its id: it keeps that payment. */
  readonly kept = new Map<TestRecord, Match>();

  /** Assigns ids after a run has matched these records, which are in the order of design 4.6. */
  assign(
    records: readonly TestRecord[],
    matches: ReadonlyMap<TestRecord, Match>,
    deliveries: ReadonlyMap<TestRecord, Delivery>,
  ): void {
    const returning = [...this.links]
      .filter(([record, link]) => isReversal(record) && !link.active && !deliveries.has(record))
      .map(([record]) => record);
    for (const [record, link] of this.links) link.active = !deliveries.has(record);
    this.returnIds(deliveries);
    for (const record of returning) this.deactivate(record);
    this.former.clear();
    const unlinked = (kind: string) =>
      records.filter(
        (each) =>
          each.reconciliationType === kind &&
          matches.get(each)?.status === 'MATCHED' &&
          !deliveries.has(each) &&
          !this.links.has(each),
      );
    const link = (record: TestRecord, chargeback: TestRecord, owner = record) => {
      const match = matches.get(record);
      const payment = match?.payments[0];
      if (match === undefined || payment === undefined)
        throw new Error('a record without payment has no link');
      this.links.set(record, { chargeback, owner, payment, active: true });
      this.kept.set(record, match);
    };
    const reversals = () => unlinked('CHARGEBACK REVERSAL').filter(hasMoved);
    for (const record of [...unlinked('CHARGEBACK'), ...reversals()].sort(byPlace)) {
      const inherited = this.inheritedBy(record, deliveries);
      const isElsewhere =
        isReversal(record) && inherited?.payment.id !== matches.get(record)?.payments[0]?.id;
      if (inherited === undefined || isElsewhere) continue;
      if (isReversal(record) && this.reversalsOf(inherited.chargeback).length > 0)
        this.former.set(record, inherited.chargeback);
      else if (this.holders(inherited.owner).length === 0)
        link(record, inherited.chargeback, inherited.owner);
    }
    this.returnChargebacks(returning);
    this.releaseReversalsElsewhere();
    for (const record of unlinked('CHARGEBACK')) link(record, record);
    const choose = (reversal: TestRecord, isWanted: (chargeback: TestRecord) => boolean) => {
      const payment = matches.get(reversal)?.payments[0];
      const rank = (each: TestRecord) =>
        (each.currency === reversal.currency && this.leftOf(each, reversal) === reversal.amount ? 0 : 4) +
        (hasMoved(each) ? 0 : 2) +
        (this.isWhole(each) ? 0 : 1);
      const [chosen] = records
        .filter((each) => this.isOpen(each, payment, reversal))
        .filter((each) => isWanted(this.links.get(each)?.chargeback ?? each))
        .sort((a, b) => rank(a) - rank(b));
      const taken = chosen === undefined ? undefined : this.links.get(chosen);
      if (taken !== undefined) link(reversal, taken.chargeback);
    };
    for (const reversal of reversals()) {
      const former = this.former.get(reversal);
      choose(reversal, (each) => each === former);
      const isKept =
        former !== undefined && this.isKept(former, matches.get(reversal)?.payments[0], reversal);
      if (!this.links.has(reversal) && isKept) link(reversal, former);
    }
    for (const reversal of reversals()) choose(reversal, () => true);
  }

  private deactivate(record: TestRecord): void {
    const link = this.links.get(record);
    if (link !== undefined) link.active = false;
  }

  /** The reversals in effect of the chargeback that an id is derived from. */
  private reversalsOf(chargeback: TestRecord): TestRecord[] {
    return [...this.links]
      .filter(([record, link]) => isReversal(record) && link.active && link.chargeback === chargeback)
      .map(([record]) => record);
  }

  private isWhole(record: TestRecord): boolean {
    const link = this.links.get(record);
    return link === undefined || this.reversalsOf(link.chargeback).length === 0;
  }

  /** What is left of a chargeback for a reversal: nothing if the currencies of any two of them differ. */
  private leftOf(record: TestRecord, reversal: TestRecord): bigint {
    const chargeback = this.links.get(record)?.chargeback ?? record;
    const returned = this.reversalsOf(chargeback);
    if ([...returned, reversal].some(({ currency }) => currency !== record.currency)) return 0n;
    return returned.reduce((left, { amount }) => left - amount, record.amount);
  }

  /**
   * A record that waits for a decision has no id of another one. Of several records with one id that count, it stays
   * with the one that it is derived from, else with the earliest; the others get new ids.
   */
  private returnIds(deliveries: ReadonlyMap<TestRecord, Delivery>): void {
    for (const [record, { owner }] of [...this.links]) {
      if (owner === record) continue;
      const [first] = this.holders(owner);
      if (
        deliveries.get(record)?.state === 'waits' ||
        (first !== undefined && first !== record && !deliveries.has(record))
      )
        this.remove(record);
    }
  }

  /** A reversal that counts again waits for a chargeback if another one has its chargeback. */
  private returnChargebacks(returning: readonly TestRecord[]): void {
    const links = [...returning].sort(byPlace).flatMap((record) => {
      const link = this.links.get(record);
      return link === undefined ? [] : [{ record, link }];
    });
    for (const { record, link } of links) {
      if (this.reversalsOf(link.chargeback).length === 0) {
        link.active = true;
        continue;
      }
      this.remove(record);
      this.former.set(record, link.chargeback);
    }
  }

  /** A reversal of another payment than that of the chargeback with the id waits for a chargeback again. */
  private releaseReversalsElsewhere(): void {
    const active = [...this.links].filter(([, link]) => link.active);
    for (const [record, { chargeback, payment }] of active.filter(([each]) => isReversal(each))) {
      const holder = active.find(
        ([other, link]) => !isReversal(other) && link.chargeback === chargeback,
      )?.[1];
      if (holder !== undefined && holder.payment.id !== payment.id) this.remove(record);
    }
  }

  /** The records with this booking that count: the owner first, then the earliest. */
  private holders(owner: TestRecord): TestRecord[] {
    return [...this.links]
      .filter(([, link]) => link.active && link.owner === owner)
      .map(([record]) => record)
      .sort((a, b) => Number(b === owner) - Number(a === owner) || byPlace(a, b));
  }

  private remove(record: TestRecord): void {
    this.links.delete(record);
    this.kept.delete(record);
  }

  /** Of every record with an id in effect: the record that the id is derived from, and what is booked. */
  booked(): [record: TestRecord, chargeback: TestRecord, amount: bigint][] {
    return [...this.links]
      .filter(([, link]) => link.active)
      .map(([record, link]) => [record, link.chargeback, record.amount]);
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
          record.reconciliationType === 'CHARGEBACK' && link.active && link.payment.id === payment.id,
      )
      .map(([record]) => record);
  }

  private isOpen(record: TestRecord, payment: TestPayment | undefined, reversal: TestRecord): boolean {
    const link = this.links.get(record);
    const left = this.leftOf(record, reversal);
    return (
      record.reconciliationType === 'CHARGEBACK' &&
      link?.active === true &&
      link.payment.id === payment?.id &&
      (this.isWhole(record) || (left > 0n && left >= reversal.amount))
    );
  }

  /**
   * Whether a reversal keeps a chargeback that no record holds now, because its files were withdrawn: enough of it is
   * left. The last record that had it says its amount.
   */
  private isKept(chargeback: TestRecord, payment: TestPayment | undefined, reversal: TestRecord): boolean {
    const had = [...this.links].filter(
      ([record, link]) =>
        !isReversal(record) && link.chargeback === chargeback && link.payment.id === payment?.id,
    );
    const last = had
      .map(([record]) => record)
      .sort(byPlace)
      .at(-1);
    if (last === undefined || had.some(([, { active }]) => active)) return false;
    const left = this.leftOf(last, reversal);
    return left > 0n && left >= reversal.amount;
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
