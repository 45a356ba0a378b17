import type { ParameterRequest } from './parameter-request.js';

const proof = [
  'threeDSecure.eci',
  'threeDSecure.verificationId',
  'threeDSecure.authenticationStatus',
  'threeDSecure.dsTransactionId',
] as const;

/** Whether the merchant authenticates without the shopper (3RI, catalogue 2.20). */
export function isMerchantAuthentication(request: ParameterRequest): boolean {
  return request.has('threeDSecure.channel') || request.has('threeDSecure.threeRIInd');
}

/**
 * Whether the request requires a 3D Secure v2 authentication of the shopper: it addresses a network's v2 directory,
 * or names a version 2, without the proof of an external server (catalogue 2.20).
 */
export function requestsThreeDSecure(request: ParameterRequest): boolean {
  if (request.value('threeDSecure.disable') === 'true') return false;
  if (proof.some((name) => request.has(name)) || isMerchantAuthentication(request)) return false;
  if (request.value('standingInstruction.source') === 'MIT') return false;
  if (request.value('standingInstruction.mode') === 'REPEATED') return false;
  return (
    request.value('threeDSecure.version')?.startsWith('2') === true ||
    request.under('threeDSecure.v2.').length > 0
  );
}

/** Whether a version is known to be below 2.2; false for a malformed one. */
export function isBelowTwoTwo(version: string | undefined): boolean {
  return version !== undefined && /^(?:1\.|2\.[01]\.)/.test(version);
}
