import type { Sql, Tx } from '../../db/client.js';

/*
 * A key consists of the hash of a token and the rights that it had, so that a token whose rights were changed is looked
 * up again.
 */

/** The key of a row. */
const key = `concat_ws(' ', hash, environment, array_to_string(entity_ids, ','), array_to_string(roles, ',')) collate "C"`;

/** A condition: the token is valid now. */
export const isValid = 'revoked_at is null and (expires_at is null or expires_at > now())';

/** A query of the keys that are valid now. */
export function validKeys(sql: Sql | Tx, keys: readonly string[]) {
  return sql`
    select known.key
    from (
      select ${sql.unsafe(key)} as key
      from api_tokens
      where hash = any (array(
          select left(key, 64) from jsonb_array_elements_text(${JSON.stringify(keys)}::text::jsonb) as sent (key)))
        and ${sql.unsafe(isValid)}
    ) known`;
}

/** A query that has one row if the key in this place is valid now, and none otherwise. */
export function validKey(given: string): string {
  return `select from api_tokens where hash = left(${given}, 64) and ${key} = ${given} and ${isValid}`;
}
