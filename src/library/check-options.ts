import * as z from 'zod';
import { suggestion } from '../values/closest-name.js';
import { alternatives } from '../config/setting-issues.js';
import { ReconError } from '../errors.js';

/**
 * Refuses options of a wrong name or kind. The compiler checks those of a TypeScript program; this is for programs that
 * no compiler checks. Without it, a misspelt `dryRun` would purge, and a text in the place of a list of items would
 * decide about all of them.
 *
 * @param operation the name of the operation, for the message
 * @returns the options as they were given
 * @throws ReconError USAGE_INVALID that names every wrong option
 */
export function checkOptions<Options extends object>(
  operation: string,
  schema: z.ZodType,
  options: Options,
): Options {
  const { error } = schema.safeParse(options, { error: sentenceOf });
  if (error === undefined) return options;
  const problems = error.issues.map((issue) => problemOf(issue, schema)).join('; ');
  throw new ReconError('USAGE_INVALID', `${operation}: ${problems}. Nothing was done.`);
}

/** Refuses arguments of a wrong kind that are not options, such as the name of a file. They must not be empty. */
export function checkArguments(operation: string, given: Readonly<Record<string, unknown>>): void {
  checkOptions(operation, z.record(z.string(), text), given);
}

/** A text that the database can hold. */
export const anyText = z
  .string()
  .refine((given) => !given.includes('\0'), 'must not contain a NUL character');

/** A text that the database can hold, and that is not blank. */
export const text = anyText.refine((given) => given.trim() !== '', 'must not be empty');

function problemOf(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code === 'unrecognized_keys') {
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    const within = issue.path.map((part) => `${String(part)}.`).join('');
    const hint = (key: string) => (within === '' ? suggestion(key, known) : '');
    return issue.keys.map((key) => `there is no option ${within}${key}${hint(key)}`).join('; ');
  }
  return `${issue.path.length === 0 ? 'the options' : z.core.toDotPath(issue.path)} ${issue.message}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list of texts',
  object: 'an object',
  boolean: 'true or false',
};

/** The sentence for each kind of issue; one of the schema takes precedence. It never holds the value. */
const sentenceOf: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type') {
    const isMissing = issue.input === undefined && (issue.path?.length ?? 0) > 0;
    return isMissing ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`;
  }
  if (issue.code === 'invalid_value') {
    if (issue.input === undefined) return 'is missing';
    const values = issue.values.map(String);
    return `must be ${alternatives(values)}${typeof issue.input === 'string' ? suggestion(issue.input, values) : ''}`;
  }
  return 'is not valid';
};
