import type { Sql, Tx } from '../../db/client.js';
import type { SharedRead } from '../../db/read-together.js';

/*
 * A key consists of the hash of a token and the rights that it had, so that a token whose rights were changed is looked
 * up again.
 */

/** The key of a row. */
const key = `concat_ws(' ', hash, environment, array_to_string(entity_ids, ','), array_to_string(roles, ',')) collate "C"`;

/** A condition: the token is valid now. */
export const isValid = 'revoked_at is null and (expires_at is null or expires_at > now())';

/** A condition: the token is that of the key in this place. */
const isKey = (given: string) => `hash = left(${given}, 64) and ${key} = ${given} and ${isValid}`;

/** A query of the keys that are valid now, of those in the JSON list between its parts. */
const keysOf = [
  `select known.key
    from (
      select ${key} as key
      from api_tokens
      where hash = any (array(select left(key, 64) from jsonb_array_elements_text(`,
  `::jsonb) as sent (key)))
        and ${isValid}
    ) known`,
] as const;

/** A query that returns those of the keys that are valid now. */
export function validKeys(sql: Sql | Tx, keys: readonly string[]) {
  const [before, after] = keysOf;
  return sql`${sql.unsafe(before)}${JSON.stringify(keys)}::text${sql.unsafe(after)}`;
}

/** A query that has one row if the key in this place is valid now, and none otherwise. */
export function validKey(given: string): string {
  return `select from api_tokens where ${isKey(given)}`;
}

/** Whether keys are valid now. */
export const keyReads: SharedRead<string, boolean> = {
  name: 'keys',
  value: (given) => `(select json_agg(key) from (${keysOf.join(given)}) valid)`,
  given: (keys) => JSON.stringify([...new Set(keys)]),
  results: (value, keys) => {
    // The statement above builds the list.
    const valid = new Set((value ?? []) as readonly string[]);
    return keys.map((one) => valid.has(one));
  },
  one: {
    query: (given, columns) => `select ${columns} from api_tokens where ${isKey(given)}`,
    columns: [`'valid'`],
    given: (one) => one,
    result: (row) => row !== undefined,
  },
};
