import * as z from 'zod';
import { ReconError } from '../errors.js';
import { isStorable } from '../values/storable-text.js';

/** A text that the database can hold: it refuses others, which would look like a failure of the database. */
export const storable = z.string().refine(isStorable, 'It has a character that cannot be stored');

/** A text that a person may write: a note, a reason, a name, a word to look for. */
export const text = storable.max(2_000);

/** 32 hexadecimal digits, without a check that there is such an item. */
export const discrepancyIdText = z.string().regex(/^[0-9a-f]{32}$/);

/**
 * The body of a request, or a text in it that is JSON too. What is in it is checked by {@link parseSent}.
 *
 * @throws ReconError USAGE_INVALID
 */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ReconError('USAGE_INVALID', 'The request is not JSON.');
  }
}

/**
 * What a browser sent, checked.
 *
 * @throws ReconError USAGE_INVALID that names the first wrong member, without its value
 */
export function parseSent<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new ReconError(
    'USAGE_INVALID',
    `The request is not valid${where === '' ? '' : ` at ${where}`}: ${issue?.message ?? ''}.`,
  );
}
