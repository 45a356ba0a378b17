import type { ParameterError } from '../../payment-core/index.js';
import type { Call } from '../call.js';

/** `registrations[0].id`: the registrations that a checkout offers its shopper. */
const offeredName = /^registrations\[(?:0|[1-9]\d{0,2})\]\.id$/;

type Parameters = Call['parameters'];

/** Separates the registrations that a checkout offers from its other parameters. */
export function offeredRegistrations(parameters: Parameters): {
  readonly offered: Parameters;
  readonly rest: Parameters;
} {
  const entries = Object.entries(parameters);
  return {
    offered: Object.fromEntries(entries.filter(([name]) => offeredName.test(name))),
    rest: Object.fromEntries(entries.filter(([name]) => !offeredName.test(name))),
  };
}

/**
 * The offered registrations that could not pay. The shopper's form names the one that pays as `registrationId`; until
 * then a checkout only needs to know that they exist.
 */
export async function unusableRegistrations(
  { core, caller }: Call,
  offered: Parameters,
): Promise<readonly ParameterError[]> {
  const errors: ParameterError[] = [];
  for (const [name, id] of Object.entries(offered)) {
    const found = await core.registrations.get(id, caller);
    const isUsable = found.card !== undefined || found.account !== undefined;
    if (!isUsable) errors.push({ name, value: null, message: `${name} does not name a registration` });
  }
  return errors;
}
