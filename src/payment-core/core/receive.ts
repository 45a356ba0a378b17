import { isStorable } from '../../values/storable-text.js';
import type { Caller } from './core-context.js';
import { CallerPermission } from './caller-permission.js';

/** No id in the database is longer: payment ids have 32 characters, checkout ids up to 48. */
const longestId = 64;

/** A longer idempotency key is unusable. */
const longestKey = 255;

/** A longer name is not kept. */
const longestAuthor = 200;

/** Stands for an unusable idempotency key, so that its request is refused and not made again and again. */
export const unusableKey = '';

/** A misspelt `entityIds`, which would otherwise be ignored, so that the request would see every entity. */
const misspeltEntityIds = /^entit(?:y|ies)[_-]?(?:ids?)?$/i;

/** An id that no payment, registration, checkout or job has. */
const unknownId = '';

/**
 * Reads an id from a path. A value that cannot be an id (another type, too long, or with a NUL or half a
 * surrogate pair, which PostgreSQL refuses) is treated like an unknown id and gets the same response.
 */
export function receiveId(id: unknown): string {
  return typeof id === 'string' && id.length <= longestId && isStorable(id) ? id : unknownId;
}

/**
 * Copies the caller of a request. Only a missing caller sees everything. A caller that cannot be read has no
 * entities and sees nothing.
 */
export function receiveCaller(caller: unknown): Caller {
  if (caller === undefined) return {};
  if (typeof caller !== 'object') return { entityIds: [] };
  try {
    // The object has no known type. Its members are read once.
    const {
      entityIds: given,
      idempotencyKey,
      author,
      permission,
    } = caller as Readonly<Record<keyof Caller, unknown>>;
    // Members are added to one object, because every request passes here, and a spread for each takes longer.
    const known: { -readonly [Name in keyof Caller]: Caller[Name] } = {};
    if (given === undefined) {
      if (Object.keys(caller as object).some(isMisspeltEntityIds)) known.entityIds = [];
    } else {
      const all: readonly unknown[] = Array.isArray(given) ? given : [];
      known.entityIds = all.filter((one): one is string => typeof one === 'string' && isStorable(one));
    }
    if (idempotencyKey !== undefined) {
      known.idempotencyKey = isText(idempotencyKey, longestKey) ? idempotencyKey : unusableKey;
    }
    if (isText(author, longestAuthor)) known.author = author;
    if (permission instanceof CallerPermission) known.permission = permission;
    return known;
  } catch {
    return { entityIds: [] };
  }
}

function isMisspeltEntityIds(name: string): boolean {
  return name !== 'entityIds' && misspeltEntityIds.test(name);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= longest && isStorable(value);
}
