/**
 * The classes of result codes: what a code means for the money and for the sender of the request. The patterns are
 * those that integrators of such gateways use. A test checks that every code of the catalogue fits exactly one of
 * them, the pattern of its class.
 */

/** The meaning of a class for the payment. */
export type ResultDisposition = 'success' | 'pending' | 'uncertain' | 'failed' | 'chargeback';

interface ResultClassEntry {
  readonly disposition: ResultDisposition;
  readonly pattern: RegExp;
  readonly meaning: string;
}

/** The classes of result codes, by the beginning of a code, and what each means for a payment. */
export const resultClasses = {
  success: {
    disposition: 'success',
    pattern: /^(?:000\.000\.|000\.100\.1|000\.[36]|000\.400\.1[12]0)/,
    meaning: 'processed',
  },
  successReview: {
    disposition: 'success',
    pattern: /^(?:000\.400\.0[0-24-9]|000\.400\.100)/,
    meaning: 'processed, should be reviewed by hand',
  },
  rating: {
    // Design 5 does not count these as a success, but the payment may have moved money: the outcome is unknown.
    disposition: 'uncertain',
    pattern: /^000\.500\./,
    meaning: 'a retired success of a risk rating, which no list counts as a success any more',
  },
  pending: { disposition: 'pending', pattern: /^000\.200/, meaning: 'waits for the shopper or the acquirer' },
  pendingLong: {
    disposition: 'pending',
    pattern: /^(?:800\.400\.5|100\.400\.500)/,
    meaning: 'waits for days, for example for a bank transfer',
  },
  declinedAuthentication: {
    disposition: 'failed',
    pattern: /^(?:000\.400\.1[0-9][1-9]|000\.400\.2)/,
    meaning: 'declined: 3D Secure or intercard risk check',
  },
  declinedByBank: {
    disposition: 'failed',
    pattern: /^(?:800\.[17]00|800\.800\.[123])/,
    meaning: 'declined by the bank or the payment system',
  },
  communication: {
    disposition: 'uncertain',
    pattern: /^(?:900\.[1234]00|000\.400\.030)/,
    meaning: 'the connection to the acquirer failed: the outcome is not known',
  },
  system: {
    disposition: 'failed',
    pattern: /^(?:800\.[56]|999\.|600\.1|800\.800\.[84])/,
    meaning: 'an error inside a system',
  },
  asynchronousWorkflow: {
    disposition: 'failed',
    pattern: /^100\.39[765]/,
    meaning: 'an asynchronous step failed',
  },
  softDecline: {
    disposition: 'failed',
    pattern: /^300\.100\.100/,
    meaning: 'declined: the shopper must authenticate',
  },
  declinedByExternalRisk: {
    disposition: 'failed',
    pattern: /^(?:100\.400\.[0-3]|100\.380\.100|100\.380\.11|100\.380\.4|100\.380\.5)/,
    meaning: 'declined by an external risk system',
  },
  declinedByAddressCheck: {
    disposition: 'failed',
    pattern: /^800\.400\.1/,
    meaning: 'declined: address or security code check',
  },
  authenticationSystem: {
    disposition: 'failed',
    pattern: /^(?:800\.400\.2|100\.390)/,
    meaning: 'declined by the 3D Secure system',
  },
  declinedByBlacklist: { disposition: 'failed', pattern: /^800\.[32]/, meaning: 'declined: blocked' },
  declinedByVelocity: {
    disposition: 'failed',
    pattern: /^800\.1[123456]0/,
    meaning: 'declined: duplicate, throttled or too frequent',
  },
  configuration: {
    disposition: 'failed',
    pattern: /^(?:600\.[23]|500\.[12]|800\.121)/,
    meaning: 'the account is not set up for this request',
  },
  registration: {
    disposition: 'failed',
    pattern: /^100\.[13]50/,
    meaning: 'the registration cannot be used',
  },
  job: { disposition: 'failed', pattern: /^(?:100\.250|100\.360)/, meaning: 'the job cannot be used' },
  reference: {
    disposition: 'failed',
    pattern: /^700\.[1345][05]0/,
    meaning: 'the referenced payment does not allow it',
  },
  format: {
    disposition: 'failed',
    pattern: /^(?:200\.[123]|100\.[53][07]|800\.900|100\.[69]00\.500)/,
    meaning: 'the request is malformed',
  },
  merchantAdvice: {
    disposition: 'failed',
    pattern: /^700\.60[01]/,
    meaning: 'declined: a merchant advice code of the scheme forbids this attempt',
  },
  address: { disposition: 'failed', pattern: /^100\.800/, meaning: 'an address is invalid' },
  contact: {
    disposition: 'failed',
    pattern: /^(?:100\.700|100\.900\.[1-467890][0-9][0-9])/,
    meaning: 'a contact is invalid',
  },
  account: {
    disposition: 'failed',
    pattern: /^(?:100\.100|100\.2[01])/,
    meaning: 'the account data is invalid',
  },
  amount: { disposition: 'failed', pattern: /^100\.55/, meaning: 'amount or currency is invalid' },
  riskManagement: {
    disposition: 'failed',
    pattern: /^(?:100\.380\.[23]|100\.380\.101)/,
    meaning: 'declined by risk management',
  },
  chargeback: {
    disposition: 'chargeback',
    pattern: /^000\.100\.2/,
    meaning: 'charged back, with its reason',
  },
} as const satisfies Record<string, ResultClassEntry>;

/** A class of result codes, such as `declinedByBank`. */
export type KnownResultClass = keyof typeof resultClasses;

/** `unknown`: the code is not in the catalogue and fits no class, so it is never a success. */
export type ResultClass = KnownResultClass | 'unknown';
