import type { ParameterName } from '../fields/parameter-names.js';
import type { ParameterValues } from '../fields/parameters.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { hidden } from '../validation/present-value.js';

const walletTokens: readonly ParameterName[] = [
  'walletA.paymentToken',
  'walletB.paymentToken',
  'walletC.paymentToken',
];
const storable = 'a card, a bank account, a token account or a virtual account';

/**
 * What is missing in a request that wants a registration but has no account number that could be stored: the token of a
 * wallet is for one payment.
 */
export function whyNotRegistered(request: ParameterValues): readonly ParameterError[] {
  const token = walletTokens.find((name) => request[name] !== undefined);
  if (token !== undefined) {
    const message = `${token} cannot be registered, since it is for one payment: a registration needs ${storable}`;
    return [{ name: token, value: hidden, message }];
  }
  const name: ParameterName = 'card.number';
  return [{ name, value: null, message: `${name} is missing: a registration needs ${storable}` }];
}
