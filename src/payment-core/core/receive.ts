import type { Caller } from './core-context.js';

/** No id in the database is longer: payments have 32 characters, checkouts up to 48. */
const longestId = 64;

/** What no payment, registration, checkout or job is called. */
const nothing = '';

/**
 * An id as it comes in a path. What cannot be one (another type, too long, a NUL, half of a character, which
 * PostgreSQL refuses) is read as the id of nothing, so that it gets the same answer as an unknown id.
 */
export function receiveId(id: unknown): string {
  return typeof id === 'string' && id.length <= longestId && isStorable(id) ? id : nothing;
}

/**
 * A copy of on whose behalf the call is made. Only a missing caller sees everything: one that cannot be read
 * belongs to no entity and sees nothing.
 */
export function receiveCaller(caller: unknown): Caller {
  if (caller === undefined) return {};
  if (typeof caller !== 'object') return { entityIds: [] };
  try {
    // An object that is known by no type; its entities are read once.
    const given = (caller as { readonly entityIds?: unknown }).entityIds;
    if (given === undefined) return {};
    const all: readonly unknown[] = Array.isArray(given) ? given : [];
    return { entityIds: all.filter((one): one is string => typeof one === 'string' && isStorable(one)) };
  } catch {
    return { entityIds: [] };
  }
}

/** Whether PostgreSQL can hold the text. */
export function isStorable(text: string): boolean {
  return !/\u0000|[\uD800-\uDFFF]/u.test(text);
}
