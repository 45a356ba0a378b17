import type { RecordPart } from '../parts/record-parts.js';
import { tableOfPart } from '../parts/record-parts.js';
import type { SchemaFacts } from './schema-facts.js';

/** Every migrated database has this part; the others have the same structure and other numbers. */
const firstPart = 'settlement_records_1';

/**
 * What is missing or wrong in the database, one sentence each; empty when it is complete. Additional tables belong to
 * the operator and are ignored. Pure.
 *
 * @param expected the facts of a freshly migrated database
 * @param parts those that must have a table
 */
export function compareSchema(
  expected: SchemaFacts,
  actual: SchemaFacts,
  parts: readonly RecordPart[],
): string[] {
  const required = Object.entries(expected);
  const pattern = required.filter(([name]) => tableOf(name) === firstPart);
  const fixed = required.filter(([name]) => tableOf(name) !== firstPart);
  return [...fixed, ...parts.flatMap((part) => factsOfPart(pattern, part))].flatMap(([name, detail]) =>
    judge(name, detail, actual),
  );
}

/** Those that are on shards if there are any; each shard has them as the migrations made them. */
const dividedTables = new Set(['payments', 'settlement_records', firstPart, 'record_matches']);

/** What is as the migrations made it even if the database has shards: payments then have no key to refer to. */
export function withoutDividedTables(expected: SchemaFacts): SchemaFacts {
  return Object.fromEntries(
    Object.entries(expected).filter(
      ([name, detail]) =>
        !dividedTables.has(tableOf(name)) &&
        !detail.endsWith(' references payments') &&
        !/^(sequence payments_|index settlement_records_1_|part )/.test(name),
    ),
  );
}

/** The tables on which every migrated database has a trigger of this name, without the parts of records. */
export function tablesWithTrigger(trigger: string, expected: SchemaFacts): string[] {
  return Object.keys(expected)
    .filter((name) => name.startsWith(`trigger ${trigger} on `) && tableOf(name) !== firstPart)
    .map(tableOf);
}

function factsOfPart(pattern: readonly [string, string][], part: RecordPart): [string, string][] {
  const named = (text: string) => text.replace(/settlement_records_1(?!\d)/g, tableOfPart(part));
  const bounds = `of settlement_records FOR VALUES FROM (${part.firstFileId}) TO (${part.endFileId})`;
  return pattern.map(([name, detail]) => [named(name), name.startsWith('part ') ? bounds : named(detail)]);
}

function judge(name: string, detail: string, actual: SchemaFacts): string[] {
  const found = actual[name];
  if (found === detail) return [];
  if (found !== undefined) {
    return [
      found.startsWith(`${detail}, `)
        ? `${name} is ${found.slice(detail.length + 2)}`
        : `${name} is "${found}" and must be "${detail}"`,
    ];
  }
  const table = tableOf(name);
  // If a table is missing, so is everything on it; reporting the table is enough.
  const isNamed = table !== '' && name !== `table ${table}` && !(`table ${table}` in actual);
  if (isNamed) return [];
  return [name.startsWith('part ') ? `table ${table} is not attached (${detail})` : `${name} is missing`];
}

/** The table that a fact is about; empty for functions, types and sequences. */
function tableOf(name: string): string {
  return /^(?:table|part) (\w+)$|^column (\w+)\.| on (\w+)$/.exec(name)?.slice(1).find(Boolean) ?? '';
}
