import type { ParameterName } from '../../fields/parameter-names.js';
import { instrumentKinds, type RequestKind } from '../../fields/request-kinds.js';
import type { ParameterRequest } from '../parameter-request.js';
import { isBelowTwoTwo, requestsThreeDSecure } from '../three-d-secure-requests.js';
import { missing, unwanted, type Rule } from './rule.js';

/** In a checkout the browser data comes later. */
const authenticating: readonly RequestKind[] = ['payment', 'registration'];

const browserData: readonly ParameterName[] = [
  'customer.browser.acceptHeader',
  'customer.browser.language',
  'customer.browser.screenHeight',
  'customer.browser.screenWidth',
  'customer.browser.timezone',
  'customer.browser.userAgent',
  'customer.browser.javaEnabled',
];
const billingData: readonly ParameterName[] = [
  'billing.street1',
  'billing.city',
  'billing.postcode',
  'billing.country',
];
const merchantInitiated: readonly ParameterName[] = ['threeDSecure.channel', 'threeDSecure.threeRIInd'];

/** In the app-based flow a device replaces the browser. */
function isInApp(request: ParameterRequest): boolean {
  const device = request.has('threeDSecure.deviceInfo') || request.has('customer.app.deviceId');
  return device && !browserData.some((name) => request.has(name));
}

/** Those of the parameters that the request has. */
const sentOf = (request: ParameterRequest, names: readonly ParameterName[]) =>
  names.flatMap((name) => request.find(name) ?? []);

/** A rule about parameters that older versions of 3D Secure do not have. */
function sinceTwoTwo(name: string, statement: string, names: readonly ParameterName[]): Rule {
  return {
    name,
    section: 'catalogue 2.20',
    statement,
    kinds: instrumentKinds,
    about: ['threeDSecure'],
    check: (request) =>
      isBelowTwoTwo(request.value('threeDSecure.version'))
        ? unwanted(sentOf(request, names), 'is accepted only with 3D Secure 2.2 or higher')
        : [],
  };
}

/**
 * The rules about threeDSecure.* (catalogue 2.20, 2.21), and about what an authentication needs of other structures
 * (2.6, 2.8).
 */
export const threeDSecureRules: readonly Rule[] = [
  {
    name: 'browser-data-for-v2',
    section: 'catalogue 2.6',
    statement:
      'A 3D Secure v2 authentication needs customer.browser acceptHeader, language, screenHeight, screenWidth, timezone, userAgent and javaEnabled, unless it runs in an app.',
    kinds: authenticating,
    about: ['threeDSecure'],
    check: (request) =>
      requestsThreeDSecure(request) && !isInApp(request)
        ? missing(request, browserData, 'is required for 3D Secure v2')
        : [],
  },
  {
    name: 'device-info-in-app',
    section: 'catalogue 2.20',
    statement:
      'A 3D Secure v2 authentication in an app (customer.app.deviceId, no browser) needs threeDSecure.deviceInfo.',
    kinds: authenticating,
    about: ['threeDSecure'],
    check: (request) =>
      requestsThreeDSecure(request) && isInApp(request)
        ? missing(request, ['threeDSecure.deviceInfo'], 'is required for 3D Secure v2 in an app')
        : [],
  },
  {
    name: 'billing-data-for-v2',
    section: 'catalogue 2.8',
    statement: 'A 3D Secure v2 authentication needs billing street1, city, postcode and country.',
    kinds: authenticating,
    about: ['threeDSecure'],
    check: (request) =>
      requestsThreeDSecure(request) ? missing(request, billingData, 'is required for 3D Secure v2') : [],
  },
  sinceTwoTwo(
    'exemptions-since-version-2-2',
    'challengeIndicator and exemptionFlag are refused when threeDSecure.version is below 2.2.',
    ['threeDSecure.challengeIndicator', 'threeDSecure.exemptionFlag'],
  ),
  sinceTwoTwo(
    'merchant-authentication-since-version-2-2',
    'channel and threeRIInd (3RI) are refused when threeDSecure.version is below 2.2.',
    merchantInitiated,
  ),
  {
    name: 'merchant-authentication-of-scheme-b',
    section: 'catalogue 2.20',
    statement: 'channel and threeRIInd (3RI) are refused when the network is known and is not schemeB.',
    kinds: instrumentKinds,
    about: ['threeDSecure'],
    check: (request) =>
      request.scheme === undefined || request.scheme === 'schemeB'
        ? []
        : unwanted(sentOf(request, merchantInitiated), 'is accepted only for schemeB'),
  },
  {
    name: 'merchant-authentication-without-shopper',
    section: 'catalogue 2.20',
    statement:
      'channel is accepted only for merchant-initiated authentication: not with standingInstruction.source CIT.',
    kinds: instrumentKinds,
    about: ['threeDSecure'],
    check: (request) =>
      request.value('standingInstruction.source') === 'CIT'
        ? unwanted(
            sentOf(request, ['threeDSecure.channel']),
            'is accepted only for merchant-initiated authentication',
          )
        : [],
  },
  {
    name: 'scheme-f-data',
    section: 'catalogue 2.21',
    statement:
      'A 3D Secure transaction of schemeF needs schemeData SCHEMEF-ITEMSNB and SCHEMEF-SCORE_MERCHANT, and SCHEMEF-USECASE when it authenticates a payment or when authenticationInd is RECURRING (02) or INSTALLMENT (03).',
    kinds: authenticating,
    about: ['threeDSecure'],
    check: (request) => {
      if (request.scheme !== 'schemeF' || !requestsThreeDSecure(request)) return [];
      const indicator = request.value('threeDSecure.authenticationInd') ?? '';
      const forPayment = request.value('threeDSecure.npa') !== 'true';
      const needsUseCase = forPayment || indicator === 'RECURRING' || indicator === 'INSTALLMENT';
      const needed: ParameterName[] = [
        'threeDSecure.schemeData[SCHEMEF-ITEMSNB]',
        'threeDSecure.schemeData[SCHEMEF-SCORE_MERCHANT]',
      ];
      if (needsUseCase) needed.push('threeDSecure.schemeData[SCHEMEF-USECASE]');
      return missing(request, needed, 'is required for 3D Secure of schemeF');
    },
  },
];
