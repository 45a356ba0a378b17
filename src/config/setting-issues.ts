import * as z from 'zod';
import { suggestion } from '../values/closest-name.js';
import type { ConfigDocument, SettingPath } from './config-document.js';

/** zod's issues as messages for the person who wrote the file. They never contain a value of the file. */
export function reportIssues(error: z.ZodError, schema: z.ZodType, problem: ConfigDocument['problem']): void {
  // A number beyond all safe ones breaks two rules of its schema with one sentence.
  const reported = new Set<string>();
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys') {
      const text = `${issue.path.map(String).join('.')}: ${issue.message}`;
      if (reported.has(text)) continue;
      reported.add(text);
      problem(issue.path, issue.message, issue.code === 'invalid_key' ? 'name' : 'value');
      continue;
    }
    const known = settingNames(schema, issue.path);
    for (const key of issue.keys) {
      const sentence = known.includes(key)
        ? 'is not possible with the other settings of its group; remove it'
        : `there is no such setting${suggestion(key, known)}`;
      problem([...issue.path, key], sentence, 'name');
    }
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text; write it in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list, with a hyphen before each entry',
  object: 'a group of settings, each on a separate line',
  record: 'a group of settings, each on a separate line',
};

/** The message for each kind of issue; a message of the schema takes precedence. */
export const issueSentence: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`;
  }
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return 'must not be empty';
    return issue.origin === 'array' ? 'must have at least one entry' : `must be at least ${issue.minimum}`;
  }
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  if (issue.code === 'invalid_value') return oneOf(issue.values.map(String), issue.input);
  if (issue.code === 'invalid_union') {
    const input: unknown = issue.input;
    if (typeof input !== 'object' || input === null) return `must be ${kinds['object'] ?? ''}`;
    return oneOf(['none', 'delete', 'move'], 'action' in input ? input.action : undefined);
  }
  // The name is wrong and not the value, such as eur for a currency; the schema of the names says why.
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? 'is not valid';
  return 'is not valid';
};

function oneOf(values: readonly string[], given: unknown): string {
  if (given === undefined) return `is missing; it must be ${alternatives(values)}`;
  return `must be ${alternatives(values)}${typeof given === 'string' ? suggestion(given, values) : ''}`;
}

/** Words of a sentence: `a, b or c`; empty for none. */
export function alternatives(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}

/** The setting names that are allowed at a path of the schema. */
function settingNames(schema: z.ZodType, at: SettingPath): string[] {
  const inner = unwrapped(schema);
  const [part, ...rest] = at;
  if (inner instanceof z.ZodDiscriminatedUnion) {
    return inner.options.flatMap((option) => settingNames(option as z.ZodType, at));
  }
  if (!(inner instanceof z.ZodObject)) return [];
  if (part === undefined) return Object.keys(inner.shape);
  const next: unknown = inner.shape[String(part)];
  return next instanceof z.ZodType ? settingNames(next, rest) : [];
}

function unwrapped(schema: z.ZodType): z.ZodType {
  let inner: unknown = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) {
    inner = inner.unwrap();
  }
  return inner instanceof z.ZodType ? inner : schema;
}
