import type { CoreContext } from '../core/core-context.js';
import { nestParameters } from '../responses/nest-parameters.js';
import { optional } from '../responses/optional-member.js';
import { resultOf, stampResponse } from '../responses/stamp-response.js';
import type { EchoedRegistration, RegistrationResponse } from '../responses/response-types.js';
import type { StoredRegistration } from './find-registration.js';

/** The structures of its request that the response to a registration echoes. */
const structures = [
  'customer',
  'billing',
  'bankAccount',
  'recurringMigration',
  'customParameters',
] as const satisfies readonly (keyof EchoedRegistration)[];

/** The registration as the API answers with it, without secrets. */
export function registrationResponse(
  context: CoreContext,
  registration: StoredRegistration,
): RegistrationResponse {
  const last4 = optional('last4Digits', registration.accountLast4);
  const isCard =
    registration.accountField === 'card.number' || registration.accountField === 'tokenAccount.number';
  const nested = nestParameters(registration.parameters);
  const echoed = structures
    .filter((name) => nested[name] !== undefined)
    .map((name) => [name, nested[name]] as const);
  return {
    id: registration.id,
    ...optional('paymentBrand', registration.paymentBrand),
    result: resultOf(context.environment === 'test' ? '000.100.110' : '000.000.000'),
    ...(isCard
      ? {
          card: {
            ...optional('bin', registration.accountBin),
            ...last4,
            ...optional('holder', registration.holder),
            ...optional('expiryMonth', registration.expiryMonth),
            ...optional('expiryYear', registration.expiryYear),
          },
        }
      : registration.accountLast4 === null
        ? {}
        : { account: last4 }),
    ...Object.fromEntries(echoed),
    ...stampResponse(context, registration.ndc),
  };
}
