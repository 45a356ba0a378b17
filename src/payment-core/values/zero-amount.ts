import { readAmount } from './amounts.js';

type Sent = Readonly<Record<string, string>>;

/** The code for an amount of zero that is a mistake. */
export const zeroAmount = '100.550.300';

/**
 * Whether a request is for an amount of zero that no payment can have. A preauthorisation of zero validates an account.
 * Any other payment of zero is a mistake.
 */
export function isMistakenZero(request: Sent): boolean {
  if (readAmount(request['amount']) !== 0n) return false;
  return ![request['paymentType'], ...overriddenTypes(request)].includes('PA');
}

/** The payment types that a checkout gives to brands. */
function overriddenTypes(request: Sent): readonly (string | undefined)[] {
  return Object.entries(request)
    .filter(([name]) => name.startsWith('overridePaymentType['))
    .map(([, type]) => type);
}
