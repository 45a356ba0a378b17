import { parse } from 'postgres-array';
import type { Sql } from '../client.js';

/** The fixed oids of PostgreSQL's array types, each with the oid of its elements (`pg_type.dat`). */
const arrayTypes = new Map([
  [1000, 16], // boolean
  [1003, 19], // name
  [1005, 21], // smallint
  [1007, 23], // integer
  [1009, 25], // text
  [1016, 20], // bigint
  [1182, 1082], // date
  [1185, 1184], // timestamp with time zone
  [2951, 2950], // uuid
]);

/**
 * Lets a statement take and return lists as arrays: `= any (${ids})`. The driver would ask the server for these types
 * when it connects. Nothing catches the error of that statement, so a session that is terminated at this moment would
 * end the process. Arrays of an enum have no fixed oid: a statement casts them to `text[]`.
 */
export function acceptArrays({ options: { parsers, serializers } }: Sql): void {
  for (const [arrayType, elementType] of arrayTypes) {
    const parseElement: (text: string) => unknown = parsers[elementType] ?? String;
    const toText: (value: unknown) => unknown = serializers[elementType] ?? String;
    parsers[arrayType] = (text: string) => parse(text, parseElement);
    serializers[arrayType] = (values: unknown) =>
      Array.isArray(values) ? arrayLiteral(values, toText) : values;
  }
}

function arrayLiteral(values: readonly unknown[], toText: (value: unknown) => unknown): string {
  const elements = values.map((value) =>
    value === null ? 'null' : `"${String(toText(value)).replaceAll(/[\\"]/g, String.raw`\$&`)}"`,
  );
  return `{${elements.join(',')}}`;
}
