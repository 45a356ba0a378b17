import type { ParameterValues } from '../fields/parameters.js';
import type { ParameterError } from '../validation/parameter-error.js';

/**
 * The violation of a change that names another entity. What was created belongs to its entity: its payments would be
 * those of another one, which cannot read it.
 */
export function changedEntity(
  { entityId: named }: ParameterValues,
  { entityId }: { readonly entityId: string | null },
): readonly ParameterError[] {
  if (named === undefined || named === entityId) return [];
  return [{ name: 'entityId', value: named, message: 'entityId cannot be changed' }];
}
