import { createHash } from 'node:crypto';
import type { Caller } from './core-context.js';

/**
 * To whom an idempotency key belongs: the entity that the request names, or the only one of the caller. A request of
 * several entities that names none of them, such as a deletion, shares its keys with callers of the same entities only.
 */
export function ownerOfKey({ entityIds }: Caller, named: unknown): string {
  if (entityIds === undefined) return '';
  const own = entityIds.find((entityId) => entityId === named);
  return own ?? ownerOfAll([...new Set(entityIds)].sort());
}

/** The owner is part of a primary key, which a hundred entities would make too long for an index. */
function ownerOfAll(entityIds: readonly string[]): string {
  const [only, ...others] = entityIds;
  if (only !== undefined && others.length === 0) return only;
  return createHash('sha256').update(JSON.stringify(entityIds)).digest('hex');
}
