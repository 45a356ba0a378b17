import { fieldsOf } from '../../fields/catalogue/catalogue.js';
import { referencingPaymentTypes } from '../../fields/catalogue/core-fields.js';
import { changingKinds, purchaseKinds } from '../../fields/request-kinds.js';
import { paysWithRegistration } from '../instruments.js';
import type { ParameterRequest } from '../parameter-request.js';
import { missing, unwanted, violation, type Rule } from './rule.js';

const section = 'operations 2.2';

/** Transfers to recipients in these countries need a purpose. The alpha-3 codes of AR, BD, CL, CO, EG, IN. */
const purposeCountries: ReadonlySet<string> = new Set(['ARG', 'BGD', 'CHL', 'COL', 'EGY', 'IND']);

function isReferencing(request: ParameterRequest): boolean {
  const paymentType = request.value('paymentType') ?? '';
  return referencingPaymentTypes.some((type) => type === paymentType);
}

/** What a request by the id in the path may contain. Another rule reports numberOfCaptures. */
const ofReference = fieldsOf('reference');

/**
 * The rules about the core parameters of operations 2.2 and 3.1: brand, reference, registration, amount with currency.
 */
export const coreRules: readonly Rule[] = [
  // In `live`, a request with testMode is declined with 600.200.701 before all other checks.
  {
    name: 'test-mode-only-in-test',
    section: 'operations 1, 2.2, 7.2',
    statement: 'testMode is accepted in the test environment only (result code 600.200.701 otherwise).',
    kinds: changingKinds,
    about: ['testMode'],
    judgesEachAlone: true,
    check: (request) =>
      violation(
        request.options.environment === 'live' && request.has('testMode'),
        'testMode',
        'is not accepted in the live environment',
      ),
  },
  {
    name: 'brand-unless-detected',
    section,
    statement:
      'paymentBrand may be omitted only if the brand can be detected from card.number, or comes from a registration or a referenced payment.',
    kinds: ['payment', 'registration', 'migration'],
    check: (request) =>
      request.has('card.number') ||
      request.has('referenceUuid') ||
      isReferencing(request) ||
      paysWithRegistration(request)
        ? []
        : missing(
            request,
            ['paymentBrand'],
            'is required unless the brand can be detected from a card number',
          ),
  },
  {
    name: 'reference-for-capture-reversal-refund',
    section: 'operations 3.1',
    statement: 'CP, RV and RF reference a payment: by the id in the path or by referenceUuid.',
    kinds: ['payment'],
    check: (request) =>
      isReferencing(request) && request.options.registration !== true
        ? missing(
            request,
            ['referenceUuid'],
            'is required for CP, RV and RF unless the payment is named in the path',
          )
        : [],
  },
  {
    name: 'reference-takes-no-instrument',
    section: 'operations 3.1',
    statement:
      'With paymentType CP, RV or RF and referenceUuid, only what a request by the id in the path may contain is accepted: no instrument, registration, 3D Secure or risk parameters.',
    kinds: ['payment'],
    check: (request) =>
      isReferencing(request)
        ? unwanted(
            request.sent.filter(
              ({ template }) => template !== 'numberOfCaptures' && !ofReference.has(template),
            ),
            'is not accepted with paymentType CP, RV or RF',
          )
        : [],
  },
  {
    name: 'registration-pays-alone',
    section: 'operations 3.1, 4',
    statement:
      'A payment with the registration in the path is a PA, DB or CD; CP, RV and RF take no instrument.',
    kinds: ['payment'],
    about: ['paymentType'],
    check: (request) =>
      violation(
        request.options.registration === true && isReferencing(request),
        'paymentType',
        'must be one of PA, DB, CD in a payment with a registration',
      ),
  },
  {
    name: 'credit-references-nothing',
    section: 'operations 3.1',
    statement: 'CD is a stand-alone payment and is not accepted with referenceUuid.',
    kinds: ['payment'],
    about: ['referenceUuid'],
    check: (request) =>
      violation(
        request.value('paymentType') === 'CD' && request.has('referenceUuid'),
        'referenceUuid',
        'is not accepted with paymentType CD, which does not reference a payment',
      ),
  },
  {
    name: 'override-type-when-creating-checkout',
    section,
    statement: 'overridePaymentType[brand] is accepted only when a checkout is created, not in its update.',
    kinds: ['checkout'],
    about: ['overridePaymentType'],
    judgesEachAlone: true,
    check: (request) =>
      request.options.partial === true
        ? unwanted(request.under('overridePaymentType['), 'is accepted only when a checkout is created')
        : [],
  },
  {
    name: 'final-sequence-only-when-referencing',
    section,
    statement: 'sequence=FINAL marks the last CP, RV or RF. It is not accepted with other payment types.',
    kinds: ['payment'],
    about: ['sequence'],
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
    about: ['numberOfCaptures'],
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
    about: ['recipient'],
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
    about: ['forex'],
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
      'overrideHolder=true is accepted in checkouts and in payments with a registration, but not together with an account number.',
    kinds: ['payment'],
    about: ['overrideHolder'],
    check: (request) =>
      violation(
        request.value('overrideHolder') === 'true' && !paysWithRegistration(request),
        'overrideHolder',
        'is accepted only in checkouts and in payments with a registration',
      ),
  },
  {
    name: 'client-parameters-begin-with-shopper',
    section: 'catalogue 2.21',
    statement: 'The names of customParameters[name] from the client side begin with SHOPPER_.',
    kinds: changingKinds,
    about: ['customParameters'],
    judgesEachAlone: true,
    check: (request) =>
      request.options.origin === 'client'
        ? unwanted(
            request.under('customParameters[').filter(({ key }) => key?.startsWith('SHOPPER_') !== true),
            'must begin with SHOPPER_, because it comes from the client side',
          )
        : [],
  },
];
