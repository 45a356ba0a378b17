import fc from 'fast-check';
import type { Tx } from '../../src/db/client.js';
import { arbitraryInput, due } from './arbitrary-input.js';
import type { MatchingInput } from './model.js';
import { account, storePayments, type TestPayment } from './scenario.js';

/**
 * What happens to the payments of a world between the runs: they are stored late, the core gives pending ones their
 * result, and imports change values.
 */
export interface Fates extends MatchingInput {
  readonly fates: readonly Fate[];
}

interface Fate {
  /** Before which run (2 to 5). */
  readonly before: number;
  /** The payment, by its place among those of the world. */
  readonly payment: number;
  readonly change: Change;
}

type Change =
  | { readonly kind: 'stored' }
  | { readonly kind: 'result'; readonly by: 'core' | 'import'; readonly resultCode: string }
  | { readonly kind: 'value'; readonly fields: Partial<TestPayment> }
  /** The payment gets the identifier of another one, or refers to it. */
  | { readonly kind: 'like' | 'child'; readonly of: number };

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);

const change: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: fc.constant({ kind: 'stored' as const }), weight: 3 },
  {
    arbitrary: fc.record({
      kind: fc.constant('result' as const),
      by: oneOf('core' as const, 'import' as const),
      resultCode: oneOf('000.000.000', '000.000.000', '800.100.152'),
    }),
    weight: 4,
  },
  fc.record({
    kind: fc.constant('value' as const),
    fields: oneOf<Partial<TestPayment>>(
      { amount: 10000n },
      { amount: 5000n },
      { currency: 'USD' },
      { type: 'DB' },
      { type: 'RV' },
      { type: 'PA' },
      { brand: 'VISA' },
      { last4: '1111' },
      { entityId: account },
      { requestedAt: '2026-11-19T10:00:00Z' },
      { requestedAt: '2026-11-10T10:00:00Z' },
    ),
  }),
  fc.record({ kind: oneOf('like' as const, 'child' as const), of: fc.nat({ max: 5 }) }),
);

export const arbitraryFates: fc.Arbitrary<Fates> = fc
  .tuple(
    arbitraryInput,
    fc.array(fc.record({ before: fc.integer({ min: 2, max: 5 }), payment: fc.nat({ max: 5 }), change }), {
      maxLength: 8,
    }),
  )
  .map(([input, fates]) => ({ ...input, fates }));

/** The payments of a world as they are after some of its fates. */
export class Fated {
  readonly #input: Fates;
  #stored: readonly TestPayment[];

  constructor(input: Fates) {
    this.#input = input;
    const late = new Set(
      input.fates.filter((fate) => fate.change.kind === 'stored').map((fate) => fate.payment),
    );
    this.#stored = input.payments.filter((_, place) => !late.has(place));
  }

  get payments(): readonly TestPayment[] {
    return this.#stored;
  }

  /** Stores those that are known from the beginning; with details, as the core does it. */
  async begin(tx: Tx): Promise<void> {
    await store(tx, this.#stored);
  }

  async before(tx: Tx, run: number): Promise<void> {
    for (const { before, payment, change: what } of this.#input.fates) {
      const planned = this.#input.payments[payment];
      if (before !== run || planned === undefined) continue;
      const known = this.#stored.find(({ id }) => id === planned.id);
      if (what.kind === 'stored' && known === undefined) {
        this.#stored = [...this.#stored, planned];
        await store(tx, [planned]);
      } else if (known !== undefined) await this.#amend(tx, known, what);
    }
  }

  async #amend(tx: Tx, known: TestPayment, what: Change): Promise<void> {
    if (what.kind === 'stored') return;
    const fields = this.#fieldsOf(known, what);
    if (what.kind === 'result' && what.by === 'core') {
      if (known.resultCode !== '000.200.000' || isBeyondLookBack(known)) return;
      await tx`update payments set result_code = ${what.resultCode} where id = ${known.id}`;
    } else await importChange(tx, known, fields);
    this.#stored = this.#stored.map((each) => (each === known ? { ...each, ...fields } : each));
  }

  #fieldsOf(known: TestPayment, what: Exclude<Change, { kind: 'stored' }>): Partial<TestPayment> {
    if (what.kind === 'result') return { resultCode: what.resultCode };
    if (what.kind === 'value') return what.fields;
    const other = this.#input.payments[what.of];
    if (other === undefined) return {};
    if (what.kind === 'child') return { references: other.id };
    if (other.shortId !== null) return { shortId: other.shortId };
    const [one, two, three] = other.connectorTxIds;
    const [ownOne, ownTwo, ownThree] = known.connectorTxIds;
    return { connectorTxIds: [one ?? ownOne, two ?? ownTwo, three ?? ownThree] };
  }
}

/** A run does not look again at a payment that is pending beyond the look-back (design 4.6). */
const isBeyondLookBack = ({ requestedAt }: TestPayment): boolean => requestedAt.slice(0, 10) < due.from;

async function store(tx: Tx, payments: readonly TestPayment[]): Promise<void> {
  await storePayments(tx, payments);
  await tx`
    insert into payment_details (payment_key, environment, connector, parameters, answer, ndc, responded_at)
    select key, 'test', 'simulator', '{}', '{}', id, now() from payments
    where id = any (string_to_array(${payments.map(({ id }) => id).join(',')}, ','))`;
}

const columns = {
  resultCode: ['ResultCode', 'result_code'],
  amount: ['Amount', 'amount_minor'],
  currency: ['Currency', 'currency'],
  type: ['PaymentType', 'payment_type'],
  brand: ['PaymentBrand', 'payment_brand'],
  last4: ['AccountNumberLast4', 'account_number_last4'],
  entityId: ['EntityId', 'entity_id'],
  requestedAt: ['Timestamp', 'requested_at'],
  references: ['ReferencedPaymentId', 'referenced_payment_id'],
  shortId: ['ShortId', 'short_id'],
} as const;

/** As `payments import --allow-changes` does it: the new values, each with a row that says what changed. */
async function importChange(tx: Tx, known: TestPayment, fields: Partial<TestPayment>): Promise<void> {
  const { connectorTxIds, ...others } = fields;
  const given = Object.entries(columns).flatMap(([field, [name, column]]) => {
    const value = others[field as keyof typeof columns];
    const before = known[field as keyof typeof columns];
    return value === undefined || value === null ? [] : [{ name, column, value, before }];
  });
  const ids = (connectorTxIds ?? []).flatMap((value, index) =>
    value === null
      ? []
      : [
          {
            name: `ConnectorTxId${index + 1}`,
            column: `connector_tx_id${index + 1}`,
            value,
            before: known.connectorTxIds[index] ?? null,
          },
        ],
  );
  for (const { name, column, value, before } of [...given, ...ids]) {
    await tx`update payments set ${tx(column)} = ${value} where id = ${known.id}`;
    await tx`insert into payment_changes (payment_id, column_name, kind, old_value, new_value, file_name, file_sha256, line)
      values (${known.id}, ${name}, 'CONTRADICTION', ${before?.toString() ?? null}, ${value.toString()}, 'payments.csv', '', 2)`;
  }
}
