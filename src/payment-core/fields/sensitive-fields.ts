import { catalogue, type FieldName } from './catalogue/catalogue.js';
import type { Sensitivity } from './field.js';

/** A field whose value is never shown whole. */
export interface SensitiveField {
  readonly name: FieldName;
  readonly sensitivity: Exclude<Sensitivity, 'none'>;
}

/**
 * The fields with secret values, in the order of the catalogue. `account` is stored encrypted or not at all, and shown
 * truncated or not at all. `authentication` is neither stored nor shown (design 7).
 */
export function sensitiveFields(): readonly SensitiveField[] {
  return catalogue.flatMap(({ name, sensitivity }) =>
    sensitivity === 'none' ? [] : [{ name, sensitivity }],
  );
}
