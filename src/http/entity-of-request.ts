import {
  validateParameters,
  type Caller,
  type ParameterError,
  type PaymentCore,
} from '../payment-core/index.js';
import { refusedParameter, type Answer } from './call.js';
import type { Principal } from './tokens/find-token.js';

/**
 * The entity that a request is for: the one that it names, or the only one of its token (design 10).
 *
 * @returns the caller for the core, or the answer that refuses the request
 */
export function entityOfRequest(
  core: PaymentCore,
  parameters: Readonly<Record<string, string>>,
  { entityIds }: Principal,
): { readonly caller: Caller } | { readonly refused: Answer } {
  const { entityId } = parameters;
  if (entityId === undefined) {
    if (entityIds.length === 1) return { caller: { entityIds } };
    const body = refusedParameter(core, 'entityId', 'is required, because the token has several entities');
    return { refused: { status: 400, body } };
  }
  if (entityIds.includes(entityId)) return { caller: { entityIds: [entityId] } };
  // A text that is not an entity id at all is a mistake in the request, like any other invalid parameter.
  const errors = validateParameters('query', { entityId }, { environment: 'live' });
  return {
    refused:
      errors.length > 0
        ? { status: 400, body: core.refuse('200.300.404', errors) }
        : { status: 403, body: core.refuse('800.900.201', [notOfToken(entityId)]) },
  };
}

function notOfToken(entityId: string): ParameterError {
  return { name: 'entityId', value: entityId, message: 'entityId is not an entity of the token' };
}
