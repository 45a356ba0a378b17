import type { Chance } from '../../support/campaign.js';
import { chanceFrom } from '../../support/campaign.js';
import { paymentRow } from '../../support/payment-rows.js';
import type { Cells } from '../../support/settlement-rows.js';
import { correctedRow, laterRow, randomRow } from './random-rows.js';
import { keyOfDelivery } from './judge-deliveries.js';
import { problemsOf } from './records.js';
import {
  dayAfter,
  firstDay,
  type FailOn,
  type Settings,
  type SourceName,
  type Step,
  type World,
} from './world.js';

const firstNight = '2026-11-10';

/** A world of two or three nights: payments that come early and late, files, and what people do in between. */
export function randomWorld(seed: number): World {
  const chance = chanceFrom(seed);
  const payments = randomPayments(chance);
  const late = payments.filter(() => chance.fraction() < 0.25);
  const steps: Step[] = [];
  importOf(
    payments.filter((payment) => !late.includes(payment)),
    steps,
  );
  const delivered: Step[] = [];
  const nights = chance.integer(2, 3);
  for (let night = 0; night < nights; night += 1) {
    const asOf = dayAfter(firstNight, night);
    for (const source of ['north', 'south'] as const) {
      if (chance.fraction() < (source === 'north' ? 0.95 : 0.4)) {
        const step = randomDelivery(chance, { source, night, asOf, payments, delivered });
        delivered.push(step);
        steps.push(step);
      }
    }
    steps.push({ kind: 'run', asOf, ...randomFailOn(chance) });
    if (chance.fraction() < 0.4) steps.push(someDays(chance, asOf));
    if (chance.fraction() < 0.4) steps.push({ kind: 'accept-all', code: chance.pick(acceptable) });
    workOfTheDay(chance, { steps, payments, late, delivered, asOf });
  }
  const asOf = dayAfter(firstNight, nights);
  importOf(late, steps);
  steps.push({ kind: 'run', asOf }, everything(asOf));
  return { seed, settings: randomSettings(chance), steps };
}

function randomSettings(chance: Chance): Settings {
  const corrections = () => chance.pick(['ask', 'ask', 'ask', 'replace', 'add'] as const);
  return {
    settlementDueDays: chance.pick([5, 5, 2]),
    // Less than the age of some payments, more than that of any record.
    lookbackDays: chance.pick([60, 60, 8]),
    timezone: chance.pick(['UTC', 'UTC', 'Pacific/Auckland']),
    maxPaymentsPerKey: 3,
    tolerance: chance.pick([0, 1]),
    brandAliases: chance.fraction() < 0.5 ? { VISADEBIT: 'VISA' } : {},
    fourEyesAbove: chance.pick([5000, 10_000, 1_000_000]),
    corrections: { north: corrections(), south: corrections() },
  };
}

/** A corrected row may be settled a day later than its file arrives. */
const everything = (asOf: string): Step => ({ kind: 'rerun', from: firstDay, to: dayAfter(asOf, 1), asOf });

/** A re-run over one to three days. */
function someDays(chance: Chance, asOf: string): Step {
  const to = dayAfter(asOf, -chance.integer(0, 2));
  return { kind: 'rerun', from: dayAfter(to, -chance.integer(0, 2)), to, asOf };
}

function randomFailOn(chance: Chance): { readonly failOn?: FailOn } {
  const severities = ['error', 'warning', 'info', 'new:error', 'new:warning', 'new:info'] as const;
  return chance.fraction() < 0.3 ? { failOn: chance.pick(severities) } : {};
}

function importOf(payments: readonly Cells[], steps: Step[]): void {
  if (payments.length > 0) steps.push({ kind: 'import', payments });
}

interface Day {
  readonly steps: Step[];
  readonly payments: Cells[];
  readonly late: Cells[];
  readonly delivered: readonly Step[];
  readonly asOf: string;
}

function workOfTheDay(chance: Chance, { steps, payments, late, delivered, asOf }: Day): void {
  for (let count = chance.integer(1, 7); count > 0; count -= 1) {
    const file = delivered.length === 0 ? undefined : chance.pick(delivered);
    const name = file?.kind === 'deliver' ? file.file.name : undefined;
    const choice = chance.integer(0, 18);
    if (choice < 3) importOf(late.splice(0, chance.integer(1, 2)), steps);
    else if (choice < 6) steps.push(randomDecision(chance));
    else if (choice < 7 && name !== undefined) steps.push({ kind: 'withdraw', file: name });
    else if (choice < 8 && name !== undefined) steps.push({ kind: 'restore', file: name });
    else if (choice < 10) steps.push({ ...everything(asOf), ...randomFailOn(chance) });
    else if (choice < 12) steps.push(decisionAboutDelivery(chance));
    else if (choice < 17) steps.push({ kind: 'accept-all', code: chance.pick(acceptable) });
    else if (choice < 18) steps.push({ kind: 'correct', choice: chance.integer(0, 99) });
    else changePayments(chance, { steps, payments, late });
  }
}

const pending = '000.200.000';

/** Stored payments get what they lack: a pending one its result, one without a short id the id. */
function changePayments(
  chance: Chance,
  { steps, payments, late }: Pick<Day, 'steps' | 'payments' | 'late'>,
): void {
  const changed: Cells[] = [];
  for (const [index, payment] of payments.entries()) {
    const [isPending, lacksId] = [payment['ResultCode'] === pending, payment['ShortId'] === ''];
    if (late.includes(payment) || !(isPending || lacksId) || chance.fraction() < 0.5) continue;
    const more: Cells = {
      ...payment,
      ...(isPending ? { ResultCode: chance.pick(['000.000.000', '800.100.151']) } : {}),
      ...(lacksId ? { ShortId: `1000.${chance.integer(1, 6)}` } : {}),
    };
    payments[index] = more;
    changed.push(more);
  }
  importOf(changed, steps);
}

/** Codes of findings whose facts change most often: then the decision lapses. */
const acceptable = [
  ...['AMOUNT_MISMATCH', 'AMOUNT_MISMATCH', 'AMOUNT_MISMATCH', 'MULTIPLE_MATCHES', 'MULTIPLE_MATCHES'],
  ...['NOT_MATCHED', 'CHARGEBACK_EXCEEDS_PAYMENT', 'PAYMENT_NOT_SUCCESSFUL', 'TYPE_MISMATCH'],
];

function decisionAboutDelivery(chance: Chance): Step {
  return { kind: chance.pick(['supersede', 'keep-both']), choice: chance.integer(0, 99) };
}

function randomDecision(chance: Chance): Step {
  const choice = chance.integer(0, 99);
  switch (chance.integer(0, 6)) {
    case 3:
      return { kind: 'approve', choice, by: chance.pick(['oracle', 'second', 'second']) };
    case 0:
      return { kind: 'wait', choice, days: chance.integer(1, 2) };
    case 1:
      return { kind: 'link', choice, payment: chance.integer(0, 99) };
    case 2:
      return { kind: 'unlink', choice };
    default:
      return { kind: 'accept', choice };
  }
}

interface Circumstances {
  readonly source: SourceName;
  readonly night: number;
  readonly asOf: string;
  readonly payments: readonly Cells[];
  readonly delivered: readonly Step[];
}

function randomDelivery(chance: Chance, circumstances: Circumstances): Step {
  const { source, night, asOf, payments, delivered } = circumstances;
  const rows: Cells[] = [];
  for (let count = chance.integer(2, 9); count > 0; count -= 1) {
    const known = delivered.flatMap((step) => (step.kind === 'deliver' ? step.file.rows : []));
    const others = known.filter(
      (row) => problemsOf(row).length === 0 && !rows.some((own) => isOneRecord(own, row)),
    );
    // A row that an earlier file had already, as it was or corrected, or that this one has twice.
    if (others.length > 0 && chance.fraction() < 0.08) rows.push(chance.pick(others));
    else if (others.length > 0 && chance.fraction() < 0.16)
      rows.push(correctedRow(chance, chance.pick(others)));
    else if (others.length > 0 && chance.fraction() < 0.14)
      rows.push(laterRow(chance, chance.pick(others), `${source}-${night}-${rows.length}`));
    else {
      // Several rows of one payment, in one night or the next, change its sums.
      const some = chance.fraction() < 0.3 ? payments.slice(0, 3) : payments;
      const row = randomRow(chance, some, { asOf, id: `${source}-${night}-${rows.length}` });
      rows.push(row);
      if (row['SettlementTxId'] === '' && chance.fraction() < 0.3) rows.push(row);
      else if (row['SettlementTxId'] !== '' && chance.fraction() < 0.08) rows.push(invalidRow(chance, row));
    }
  }
  return { kind: 'deliver', file: { source, name: `${source}-${night}.csv`, rows } };
}

/** The row with a SettlementTxId that no other row has and one or two invalid cells. */
function invalidRow(chance: Chance, row: Cells): Cells {
  const faults: readonly Cells[] = [{ Amount: '12,50' }, { SettlementDate: '2026-02-30' }];
  const id = { SettlementTxId: `${row['SettlementTxId'] ?? ''}-i` };
  return { ...row, ...id, ...chance.pick(faults), ...chance.pick(faults) };
}

/** Whether two rows would be deliveries of one record. */
function isOneRecord(one: Cells, other: Cells): boolean {
  const key = (cells: Cells) =>
    keyOfDelivery({ cells, type: cells['ReconciliationType'] ?? '', kind: cells['PaymentType'] ?? '' });
  return key(one) !== undefined && key(one) === key(other);
}

function randomPayments(chance: Chance): Cells[] {
  const payments: Cells[] = [];
  const count = chance.integer(4, 12);
  for (let number = 1; number <= count; number += 1) payments.push(randomPayment(chance, number, payments));
  return payments;
}

const types = ['DB', 'DB', 'DB', 'PA', 'CP', 'RF', 'CD', 'RV'] as const;
const results = ['000.000.000', '000.100.110', '000.200.000', '800.100.151'] as const;

function randomPayment(chance: Chance, number: number, earlier: readonly Cells[]): Cells {
  const type = chance.pick(types);
  const refers = ['CP', 'RF', 'RV'].includes(type) && earlier.length > 0 && chance.fraction() < 0.9;
  const parent = refers ? chance.pick(earlier) : undefined;
  const maybe = (share: number, value: () => string) => (chance.fraction() < share ? value() : '');
  const day = dayAfter(firstNight, -chance.integer(0, 9));
  const hour = chance.integer(0, 23).toString().padStart(2, '0');
  return paymentRow(number, {
    PaymentType: type,
    ShortId: maybe(0.6, () => `1000.${chance.integer(1, 6)}`),
    PaymentBrand: maybe(0.9, () => chance.pick(['VISA', 'VISA', 'MASTER'])),
    Amount: parent?.['Amount'] ?? chance.pick(['100.00', '100.00', '50.00', '200.00']),
    Currency: parent?.['Currency'] ?? chance.pick(['EUR', 'EUR', 'EUR', 'USD']),
    ResultCode: chance.fraction() < 0.75 ? results[0] : chance.pick(results),
    EntityId: maybe(0.9, () => paymentRow(1)['EntityId'] ?? ''),
    ConnectorTxId1: maybe(0.5, () => `c1-${chance.integer(1, 4)}`),
    ConnectorTxId2: maybe(0.3, () => `c2-${chance.integer(1, 4)}`),
    ConnectorTxId3: maybe(0.1, () => `c3-${chance.integer(1, 4)}`),
    AccountNumberLast4: maybe(0.9, () => chance.pick(['1111', '1111', '2222'])),
    Timestamp: `${day} ${hour}:00:00+0000`,
    ReferencedPaymentId: parent?.['PaymentId'] ?? '',
  });
}
