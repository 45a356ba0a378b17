import { purchaseKinds, shopperKinds, type RequestKind } from '../../fields/request-kinds.js';
import type { ParameterName } from '../../fields/parameter-names.js';
import { structureOf, type ParameterRequest } from '../parameter-request.js';
import { missing, type Rule, type Violation } from './rule.js';

function documentPair(
  prefix: 'customer' | 'shipping.customer',
  section: string,
  kinds: readonly RequestKind[],
): Rule {
  const names = [`${prefix}.identificationDocType`, `${prefix}.identificationDocId`] as const;
  return {
    name: `${prefix.replace('.', '-')}-document-type-with-id`,
    section,
    statement: `${names.join(' and ')} are sent together.`,
    kinds,
    about: [structureOf(prefix)],
    check: (request) =>
      names.some((name) => request.has(name))
        ? missing(request, names, 'is required when the other of type and id is sent')
        : [],
  };
}

type AddressPrefix = 'billing' | 'merchant.billing' | 'shipping' | 'merchant.shipping';

function houseNumbers(prefix: AddressPrefix, section: string, kinds: readonly RequestKind[]): Rule {
  const first: ParameterName = `${prefix}.houseNumber1`;
  const second: ParameterName = `${prefix}.houseNumber2`;
  return {
    name: `${prefix.replace('.', '-')}-house-number-2-needs-1`,
    section,
    statement: `${second} requires ${first}.`,
    kinds,
    about: [structureOf(prefix)],
    check: (request) =>
      request.has(second) ? missing(request, [first], `is required when ${second} is sent`) : [],
  };
}

/** Reports a street that consists of digits only: a street has a name. */
function streetIsNumber(
  request: ParameterRequest,
  prefix: 'billing' | 'merchant.billing',
): readonly Violation[] {
  // With a separate house number, street1 is the name alone and street2 is ignored.
  const lines: readonly ParameterName[] = request.has(`${prefix}.houseNumber1`)
    ? [`${prefix}.street1`]
    : [`${prefix}.street1`, `${prefix}.street2`];
  const sent = lines.filter((name) => request.has(name));
  const together = sent.map((name) => request.value(name) ?? '').join('');
  // As one pattern, a long text of digits with a letter at its end would take quadratic time.
  if (!/^[\d\s]*$/.test(together) || !/\d/.test(together)) return [];
  return sent.map((name) => ({ name, message: 'contains digits only, but a street has a name' }));
}

function streetName(prefix: 'billing' | 'merchant.billing', section: string): Rule {
  return {
    name: `${prefix.replace('.', '-')}-street-is-not-a-number`,
    section,
    statement: `${prefix}.street1 and ${prefix}.street2 together are not digits only. With houseNumber1, this applies to street1 alone. Each of them that was sent is reported.`,
    kinds: shopperKinds,
    about: [structureOf(prefix)],
    check: (request) => streetIsNumber(request, prefix),
  };
}

/** The rules about customer, billing and shipping (catalogue 2.6 to 2.10). */
export const shopperRules: readonly Rule[] = [
  {
    name: 'customer-has-a-name',
    section: 'catalogue 2.6',
    statement: 'customer.givenName and customer.surname are required when any other customer.* is sent.',
    kinds: shopperKinds,
    about: ['customer'],
    check: (request) =>
      request.under('customer.').length === 0
        ? []
        : missing(
            request,
            ['customer.givenName', 'customer.surname'],
            'is required when any other customer parameter is sent',
          ),
  },
  documentPair('customer', 'catalogue 2.6', shopperKinds),
  documentPair('shipping.customer', 'catalogue 2.7', purchaseKinds),
  streetName('billing', 'catalogue 2.8'),
  houseNumbers('billing', 'catalogue 2.8', shopperKinds),
  streetName('merchant.billing', 'catalogue 2.9'),
  houseNumbers('merchant.billing', 'catalogue 2.9', shopperKinds),
  houseNumbers('shipping', 'catalogue 2.10', purchaseKinds),
  houseNumbers('merchant.shipping', 'catalogue 2.10', purchaseKinds),
];
