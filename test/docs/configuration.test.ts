import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { settingsSchema } from '../../src/config/config-schema.js';
import { sourceSchemas, targetSchemas } from '../../src/config/source-schema.js';

/** Every setting is on the pages about settings, and their tables name no other. */
const docs = path.resolve(import.meta.dirname, '../../docs');
const read = (page: string) => readFileSync(path.join(docs, page), 'utf8');
const configuration = read('configuration.md');

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
}

/** The paths of all settings below a schema: `http.tls.certFile`. */
function settingsOf(schema: JsonSchema, prefix = ''): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, below]) => {
    const inner = settingsOf(below, `${prefix}${name}.`);
    return inner.length === 0 ? [prefix + name] : inner;
  });
  const alternatives = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ];
  return [...own, ...alternatives.flatMap((each) => settingsOf(each, prefix))];
}

const pathsOf = (schema: z.ZodType) =>
  settingsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema);

const general = new Set(pathsOf(settingsSchema));
const ofSources = new Set(Object.values(sourceSchemas).flatMap((schema) => pathsOf(schema)));
const ofPlaces = new Set(Object.values(targetSchemas).flatMap((schema) => pathsOf(schema)));

/** The names in the first column of the table below a heading. */
function documented(heading: string): string[] {
  const table = configuration.split(`| ${heading} | default | meaning |\n`)[1]?.split('\n\n')[0] ?? '';
  return table
    .split('\n')
    .slice(1)
    .flatMap((row) =>
      [...(row.split(' | ')[0] ?? '').matchAll(/`([\w.]+)`/g)].map((match) => match[1] ?? ''),
    );
}

test.each([
  ['setting', general],
  ['setting of a source', ofSources],
  ['setting of a place', ofPlaces],
] as const)('the table “%s” names only settings that exist', (heading, existing) => {
  const named = documented(heading);
  expect(named.length).toBeGreaterThan(5);
  const isKnown = (name: string) =>
    [...existing].some((each) => each === name || each.startsWith(`${name}.`));
  expect(named.filter((name) => !isKnown(name))).toEqual([]);
});

test('every setting is on a page', () => {
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
  const text = pages.map((page) => read(page)).join('\n');
  const missing = [...general, ...ofSources, ...ofPlaces].filter((name) => {
    const last = name.split('.').at(-1) ?? '';
    return !text.includes(`\`${name}\``) && !new RegExp(`(?:^|[\\s{\`.])${last}(?:\`|: )`, 'm').test(text);
  });
  expect(general.size).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});

/** Settings that an example shows without those around it belong to a source. */
const schemaOfExample = (names: readonly string[]) =>
  names.every((name) => Object.hasOwn(settingsSchema.shape, name)) ? general : ofSources;

test('the YAML examples of the pages have only settings that exist', () => {
  const blocks = [
    '../README.md',
    'configuration.md',
    'alerts.md',
    'http.md',
    'runbook.md',
    'scaling.md',
    'first-run.md',
  ]
    .flatMap((page) =>
      [...read(page).matchAll(/^```yaml\n([^]*?)^```$/gm)].map((match) => ({ page, text: match[1] ?? '' })),
    )
    .filter(({ text }) => !text.includes('scrape_configs'));
  const unknown = blocks.flatMap(({ page, text }) => {
    const example = parse(text) as Record<string, unknown>;
    const existing = schemaOfExample(Object.keys(example));
    const isKnown = (name: string) =>
      [...existing].some((each) => each === name || each.startsWith(`${name}.`));
    const inner = (value: unknown, name: string): string[] =>
      value === null ||
      typeof value !== 'object' ||
      Array.isArray(value) ||
      !isKnown(name) ||
      existing.has(name)
        ? [name]
        : Object.entries(value).flatMap(([key, below]) => inner(below, `${name}.${key}`));
    const sources = (Array.isArray(example['sources']) ? example['sources'] : []) as object[];
    const missing = [
      ...Object.entries(example)
        .flatMap(([key, value]) => inner(value, key))
        .filter((name) => !isKnown(name)),
      ...sources
        .flatMap((source) => Object.keys(source))
        .filter((name) => ![...ofSources].some((each) => each.split('.')[0] === name)),
    ];
    return missing.map((name) => `${page}: ${name}`);
  });
  expect(blocks.length).toBeGreaterThan(6);
  expect(unknown).toEqual([]);
});
