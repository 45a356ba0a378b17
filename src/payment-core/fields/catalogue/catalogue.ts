import { ReconError } from '../../../errors.js';
import {
  billingFields,
  merchantBillingFields,
  merchantShippingFields,
  shippingFields,
} from './address-fields.js';
import { airlineFields } from './airline-fields.js';
import { bankAccountFields, virtualAccountFields } from './bank-account-fields.js';
import { cardFields } from './card-fields.js';
import { cartItemFields, cartPaymentFields, marketplaceFields } from './cart-fields.js';
import { coreFields } from './core-fields.js';
import { customerFields, shippingCustomerFields } from './customer-fields.js';
import type { Field } from '../field.js';
import { jobFields } from './job-fields.js';
import { merchantFields } from './merchant-fields.js';
import { corporateFields, recipientFields, senderFields } from './party-fields.js';
import { recurringMigrationFields } from './recurring-migration-fields.js';
import { requestKinds, type RequestKind } from '../request-kinds.js';
import { customParameterFields, giftCardFields, riskFields } from './risk-fields.js';
import { queryFields, reportingFields } from './search-fields.js';
import { standingInstructionFields } from './standing-instruction-fields.js';
import { schemeDataFields, threeDSecureFields } from './three-d-secure-fields.js';
import { tokenAccountFields } from './token-account-fields.js';
import { walletFields } from './wallet-fields.js';

/**
 * Every field of both documents, once, in their order. Validation, documentation and types derive from this list. A
 * name with different meanings in different kinds of request (paymentType, date.from, merchantTransactionId) has one
 * entry for each meaning. No two entries share a name and a kind.
 */
export const catalogue = [
  ...coreFields,
  ...standingInstructionFields,
  ...cardFields,
  ...walletFields,
  ...virtualAccountFields,
  ...bankAccountFields,
  ...tokenAccountFields,
  ...customerFields,
  ...shippingCustomerFields,
  ...billingFields,
  ...merchantBillingFields,
  ...shippingFields,
  ...merchantShippingFields,
  ...corporateFields,
  ...senderFields,
  ...recipientFields,
  ...merchantFields,
  ...cartItemFields,
  ...cartPaymentFields,
  ...marketplaceFields,
  ...airlineFields,
  ...recurringMigrationFields,
  ...threeDSecureFields,
  ...customParameterFields,
  ...schemeDataFields,
  ...riskFields,
  ...giftCardFields,
  ...jobFields,
  ...reportingFields,
  ...queryFields,
] as const;

/** The name of a field as in the catalogue, placeholders included. */
export type FieldName = (typeof catalogue)[number]['name'];

const positions: ReadonlyMap<Field, number> = new Map(catalogue.map((field, index) => [field, index]));

/**
 * The place of a field in the catalogue, which decides the order of violations; after all others for an unknown one.
 */
export function positionOf(field: Field): number {
  return positions.get(field) ?? catalogue.length;
}

function indexByName(kind: RequestKind): ReadonlyMap<string, Field> {
  const accepted = catalogue.filter((field) => field.kinds.includes(kind));
  const byName = new Map<string, Field>(accepted.map((field) => [field.name, field]));
  if (byName.size !== accepted.length) throw new Error(`a field is declared twice for ${kind} requests`);
  return byName;
}

const fieldsByKind: ReadonlyMap<RequestKind, ReadonlyMap<string, Field>> = new Map(
  requestKinds.map((kind) => [kind, indexByName(kind)]),
);

/**
 * The fields that a kind of request accepts, by their catalogue names.
 *
 * @throws ReconError USAGE_INVALID when a program that no compiler checks names another kind
 */
export function fieldsOf(kind: RequestKind): ReadonlyMap<string, Field> {
  const fields = fieldsByKind.get(kind);
  if (fields === undefined) {
    throw new ReconError('USAGE_INVALID', `The kind of a request must be one of ${requestKinds.join(', ')}.`);
  }
  return fields;
}

const requiredByKind: ReadonlyMap<RequestKind, readonly Field[]> = new Map(
  requestKinds.map((kind) => [
    kind,
    [...fieldsOf(kind).values()].filter((field) => field.requiredIn.includes(kind)),
  ]),
);

/** The fields that every request of a kind must have, in the order of the catalogue. */
export function requiredFieldsOf(kind: RequestKind): readonly Field[] {
  return requiredByKind.get(kind) ?? [];
}

const everyName: ReadonlySet<string> = new Set(catalogue.map((field) => field.name));

/** Whether a catalogue name is declared for any kind of request. */
export function isFieldName(name: string): name is FieldName {
  return everyName.has(name);
}
