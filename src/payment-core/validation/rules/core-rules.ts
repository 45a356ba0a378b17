import { referencingPaymentTypes } from '../../fields/core-fields.js';
import { changingKinds, purchaseKinds } from '../../fields/request-kinds.js';
import { paysWithRegistration } from '../instruments.js';
import type { ParameterRequest } from '../parameter-request.js';
import { missing, violation, type Rule } from './rule.js';

const section = 'operations 2.2';

/** Recipients of these countries need a purpose, by alpha-3 code: AR, BD, CL, CO, EG, IN. */
const purposeCountries: ReadonlySet<string> = new Set(['ARG', 'BGD', 'CHL', 'COL', 'EGY', 'IND']);

function isReferencing(request: ParameterRequest): boolean {
  const paymentType = request.value('paymentType') ?? '';
  return referencingPaymentTypes.some((type) => type === paymentType);
}

/** Where a value in `live` means that the request is declined with 600.200.701 before anything else. */
export const testModeOnlyInTest: Rule = {
  name: 'test-mode-only-in-test',
  section: 'operations 1, 2.2, 7.2',
  statement: 'testMode is accepted in the test environment only (result code 600.200.701 otherwise).',
  kinds: changingKinds,
  check: (request) =>
    violation(
      request.options.environment === 'live' && request.has('testMode'),
      'testMode',
      'is not accepted in the live environment',
    ),
};

export const coreRules: readonly Rule[] = [
  testModeOnlyInTest,
  {
    name: 'brand-unless-detected',
    section,
    statement:
      'paymentBrand may be left out only where card.number lets the brand be detected, or where a registration or a referenced payment brings it.',
    kinds: ['payment', 'registration', 'migration'],
    check: (request) =>
      request.has('card.number') ||
      request.has('referenceUuid') ||
      isReferencing(request) ||
      paysWithRegistration(request)
        ? []
        : missing(request, ['paymentBrand'], 'is required unless a card number tells the brand'),
  },
  {
    name: 'reference-for-capture-reversal-refund',
    section: 'operations 3.1',
    statement: 'CP, RV and RF reference a payment: by the id in the path or by referenceUuid.',
    kinds: ['payment'],
    check: (request) =>
      isReferencing(request)
        ? missing(
            request,
            ['referenceUuid'],
            'is required for CP, RV and RF unless the payment is named in the path',
          )
        : [],
  },
  {
    name: 'credit-references-nothing',
    section: 'operations 3.1',
    statement: 'CD stands alone and takes no referenceUuid.',
    kinds: ['payment'],
    check: (request) =>
      violation(
        request.value('paymentType') === 'CD' && request.has('referenceUuid'),
        'referenceUuid',
        'is not accepted with paymentType CD, which references nothing',
      ),
  },
  {
    name: 'override-type-when-creating-checkout',
    section,
    statement: 'overridePaymentType[brand] is accepted only when a checkout is created, not in its update.',
    kinds: ['checkout'],
    check: (request) =>
      request.options.partial === true
        ? request
            .under('overridePaymentType[')
            .map(({ name }) => ({ name, message: 'is accepted only when a checkout is created' }))
        : [],
  },
  {
    name: 'final-sequence-only-when-referencing',
    section,
    statement: 'sequence=FINAL marks the last CP, RV or RF; other payment types do not take it.',
    kinds: ['payment'],
    check: (request) =>
      violation(
        request.has('sequence') && request.has('paymentType') && !isReferencing(request),
        'sequence',
        'is accepted with paymentType CP, RV and RF only',
      ),
  },
  {
    name: 'captures-only-of-preauthorisation',
    section: 'operations 2.2, 8',
    statement:
      'numberOfCaptures is accepted with paymentType PA only (in a checkout also where overridePaymentType gives a brand PA).',
    kinds: ['payment', 'checkout'],
    check: (request) =>
      violation(
        request.has('numberOfCaptures') &&
          request.has('paymentType') &&
          request.value('paymentType') !== 'PA' &&
          !request.under('overridePaymentType[').some(({ value }) => value === 'PA'),
        'numberOfCaptures',
        'is accepted with paymentType PA only',
      ),
  },
  {
    name: 'purpose-of-transfers-abroad',
    section,
    statement:
      'transactionPurposeCode is required when transactionProcessingCode is FUNDING or PAYMENT and recipient.country is ARG, BGD, CHL, COL, EGY or IND.',
    kinds: purchaseKinds,
    check: (request) => {
      const processing = request.value('transactionProcessingCode') ?? '';
      const recipient = request.value('recipient.country')?.toUpperCase() ?? '';
      return (processing === 'FUNDING' || processing === 'PAYMENT') && purposeCountries.has(recipient)
        ? missing(request, ['transactionPurposeCode'], 'is required for transfers to this recipient.country')
        : [];
    },
  },
  {
    name: 'forex-pair',
    section,
    statement: 'forex.amount and forex.currency are sent together.',
    kinds: purchaseKinds,
    check: (request) =>
      request.under('forex.').length === 0
        ? []
        : missing(
            request,
            ['forex.amount', 'forex.currency'],
            'is required when the other forex parameter is sent',
          ),
  },
  {
    name: 'amount-with-currency',
    section,
    statement:
      'Where amount is optional (registration, chargeback, job), amount and currency are sent together.',
    kinds: ['registration', 'migration', 'chargeback', 'job'],
    check: (request) =>
      request.has('amount') || request.has('currency')
        ? missing(request, ['amount', 'currency'], 'is required: amount and currency are sent together')
        : [],
  },
  {
    name: 'override-holder-of-registration',
    section,
    statement:
      'overrideHolder=true is accepted in checkouts and in payments over a registration, not with an account number of its own.',
    kinds: ['payment'],
    check: (request) =>
      violation(
        request.value('overrideHolder') === 'true' && !paysWithRegistration(request),
        'overrideHolder',
        'is accepted in checkouts and in payments over a registration only',
      ),
  },
  {
    name: 'client-parameters-begin-with-shopper',
    section: 'catalogue 2.21',
    statement: 'customParameters[name] from the client side has a name that begins with SHOPPER_.',
    kinds: changingKinds,
    check: (request) =>
      request.options.origin !== 'client'
        ? []
        : request
            .under('customParameters[')
            .filter(({ key }) => key?.startsWith('SHOPPER_') !== true)
            .map(({ name }) => ({
              name,
              message: 'comes from the client side, where the names of custom parameters begin with SHOPPER_',
            })),
  },
];
