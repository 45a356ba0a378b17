import type { Sql, Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import { ofEntities } from '../core/of-entities.js';
import type { ParameterValues } from '../fields/parameters.js';
import type { ParameterError } from '../validation/parameter-error.js';

/** `registrations[0].id`: the registrations that a checkout offers its shopper. */
const prefix = 'registrations[';

/** The registrations that a checkout offers, by parameter name. */
function offersOf(parameters: ParameterValues): readonly (readonly [name: string, id: string])[] {
  return Object.entries(parameters).filter(([name]) => name.startsWith(prefix));
}

/** Whether the checkout offers this registration to its shopper. */
export function isOffered(checkout: ParameterValues, registrationId: string): boolean {
  return offersOf(checkout).some(([, id]) => id === registrationId);
}

/** The parameters of a changed checkout. Offers replace all earlier ones: otherwise none could be taken back. */
export function withChanges(checkout: ParameterValues, changes: ParameterValues): ParameterValues {
  if (offersOf(changes).length === 0) return { ...checkout, ...changes };
  const offers = new Set(offersOf(checkout).map(([name]) => name));
  const rest = Object.fromEntries(Object.entries(checkout).filter(([name]) => !offers.has(name)));
  return { ...rest, ...changes };
}

/** A violation for each offered registration that does not exist for the entity, so could not pay the checkout. */
export async function unusableOffers(
  context: CoreContext,
  sql: Sql | Tx,
  parameters: ParameterValues,
  caller: Caller,
): Promise<readonly ParameterError[]> {
  const offers = offersOf(parameters);
  if (offers.length === 0) return [];
  const { entityId } = parameters;
  const entityIds = caller.entityIds ?? (entityId === undefined ? undefined : [entityId]);
  const usable = await sql<{ id: string }[]>`
    select id from registrations
    where id in (select jsonb_array_elements_text(${JSON.stringify(offers.map(([, id]) => id))}::text::jsonb) collate "C")
      and environment = ${context.environment} and deleted_at is null
      and ${ofEntities(sql, 'entity_id', entityIds)}`;
  const ids = new Set(usable.map(({ id }) => id));
  return offers
    .filter(([, id]) => !ids.has(id))
    .map(([name]) => ({ name, value: null, message: `${name} does not name a registration` }));
}
