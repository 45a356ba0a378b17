import type { ParameterName } from '../../fields/parameter-names.js';
import { authenticationProofFields } from '../../fields/catalogue/three-d-secure-fields.js';
import { shopperKinds } from '../../fields/request-kinds.js';
import { paysWithRegistration } from '../instruments.js';
import type { ParameterRequest } from '../parameter-request.js';
import { isMerchantAuthentication, requestsThreeDSecure } from '../three-d-secure-requests.js';
import { missing, unwanted, violation, type Rule } from './rule.js';

const section = 'operations 2.3';

/** The version says how the shopper would authenticate, but it does not prove an authentication. */
const shopperProof: ReadonlySet<string> = new Set(
  authenticationProofFields.map((field) => field.name).filter((name) => name !== 'threeDSecure.version'),
);

const authenticationData: readonly ParameterName[] = [
  'card.cvv',
  'tokenAccount.cryptogram',
  'tokenAccount.dtvc',
  'walletA.paymentToken',
  'walletB.paymentToken',
  'walletC.paymentToken',
];

function carriesAuthentication(request: ParameterRequest): boolean {
  return (
    authenticationData.some((name) => request.has(name)) ||
    request.under('threeDSecure.').some(({ name }) => name !== 'threeDSecure.disable') ||
    request.under('customer.browser.').length > 0
  );
}

/** Bank and virtual accounts have no such data. In a checkout it comes later, with the shopper's form. */
function cannotAuthenticate(request: ParameterRequest): boolean {
  return (
    hasInstrument(request, 'bankAccount.') ||
    hasInstrument(request, 'virtualAccount.') ||
    (request.kind === 'checkout' && !request.has('card.number'))
  );
}

/** Whether the instrument is of this structure: the one in the request, or the one of the registration that pays. */
function hasInstrument(request: ParameterRequest, structure: string): boolean {
  return (
    request.under(structure).length > 0 || request.options.registeredAccount?.startsWith(structure) === true
  );
}

/** Each of them identifies the first transaction of the series. */
const schemeReferences: readonly ParameterName[] = [
  'standingInstruction.initialTransactionId',
  'standingInstruction.agreementId',
  'referenceUuid',
];

const referencesFirst = (request: ParameterRequest) =>
  paysWithRegistration(request) || schemeReferences.some((name) => request.has(name));

/**
 * The rules about standingInstruction.* (operations 2.3): what the first and later payments of a series must, and must
 * not, contain.
 */
export const cardOnFileRules: readonly Rule[] = [
  {
    name: 'initial-carries-authentication',
    section,
    statement:
      'standingInstruction.mode=INITIAL carries authentication data: card.cvv, a cryptogram or token, 3D Secure or browser parameters.',
    kinds: ['payment', 'checkout', 'registration'],
    about: ['standingInstruction'],
    check: (request) => {
      if (request.value('standingInstruction.mode') !== 'INITIAL') return [];
      if (carriesAuthentication(request) || cannotAuthenticate(request)) return [];
      const code = hasInstrument(request, 'tokenAccount.') ? 'tokenAccount.cryptogram' : 'card.cvv';
      return [
        { name: code, message: 'or 3D Secure parameters are required with standingInstruction.mode INITIAL' },
      ];
    },
  },
  {
    name: 'initial-is-not-scheduled',
    section,
    statement:
      'standingInstruction.mode=INITIAL is not accepted in a job: no shopper authenticates its payments.',
    kinds: ['job'],
    about: ['standingInstruction'],
    check: (request) =>
      violation(
        request.value('standingInstruction.mode') === 'INITIAL',
        'standingInstruction.mode',
        'cannot be INITIAL in a job, since no shopper authenticates its payments: leave it out, or send REPEATED',
      ),
  },
  {
    name: 'repeated-carries-no-shopper-authentication',
    section,
    statement:
      'standingInstruction.mode=REPEATED carries no card.cvv, no tokenAccount.dtvc and no proof of a shopper’s 3D Secure authentication; the proof of a merchant-initiated (3RI) authentication is accepted.',
    kinds: shopperKinds,
    about: ['standingInstruction'],
    check: (request) => {
      if (request.value('standingInstruction.mode') !== 'REPEATED') return [];
      const ofMerchant = isMerchantAuthentication(request);
      const ofShopper = request.sent.filter(
        ({ name }) =>
          name === 'card.cvv' || name === 'tokenAccount.dtvc' || (!ofMerchant && shopperProof.has(name)),
      );
      return unwanted(ofShopper, 'is not accepted with standingInstruction.mode REPEATED');
    },
  },
  {
    name: 'installments-only-of-installment',
    section,
    statement:
      'standingInstruction.numberOfInstallments is omitted unless standingInstruction.type is INSTALLMENT.',
    kinds: shopperKinds,
    about: ['standingInstruction'],
    check: (request) =>
      violation(
        request.has('standingInstruction.numberOfInstallments') &&
          request.value('standingInstruction.type') !== 'INSTALLMENT',
        'standingInstruction.numberOfInstallments',
        'is accepted with standingInstruction.type INSTALLMENT only',
      ),
  },
  {
    name: 'installments-in-authentication',
    section,
    statement:
      'standingInstruction.numberOfInstallments is required with type INSTALLMENT when 3D Secure v2 is requested.',
    kinds: ['payment', 'registration'],
    about: ['standingInstruction'],
    check: (request) =>
      request.value('standingInstruction.type') === 'INSTALLMENT' && requestsThreeDSecure(request)
        ? missing(
            request,
            ['standingInstruction.numberOfInstallments'],
            'is required for 3D Secure with standingInstruction.type INSTALLMENT',
          )
        : [],
  },
  {
    name: 'merchant-initiated-names-first',
    section,
    statement:
      'standingInstruction.initialTransactionId is required with source MIT when the card comes with the request, unless agreementId or referenceUuid identifies the first transaction.',
    kinds: ['payment'],
    about: ['standingInstruction'],
    check: (request) => {
      const bringsCard = request.has('card.number') || request.has('tokenAccount.number');
      return request.value('standingInstruction.source') === 'MIT' && bringsCard && !referencesFirst(request)
        ? missing(
            request,
            ['standingInstruction.initialTransactionId'],
            'is required with standingInstruction.source MIT when the card is not stored here',
          )
        : [];
    },
  },
  {
    name: 'follow-up-is-merchant-initiated',
    section,
    statement: 'standingInstruction.industryPractice is a follow-up of the merchant: not with source CIT.',
    kinds: shopperKinds,
    about: ['standingInstruction'],
    check: (request) =>
      violation(
        request.has('standingInstruction.industryPractice') &&
          request.value('standingInstruction.source') === 'CIT',
        'standingInstruction.industryPractice',
        'is not accepted with standingInstruction.source CIT',
      ),
  },
];
