import type { Sql, Tx } from '../../db/client.js';

/**
 * A query of the keys that are valid now. A key consists of the hash of a token and the rights that it had, so that a
 * token whose rights were changed is looked up again.
 */
export function validKeys(sql: Sql | Tx, keys: readonly string[]) {
  return sql`
    select known.key
    from (
      select concat_ws(' ', hash, environment, array_to_string(entity_ids, ','), array_to_string(roles, ','))
        collate "C" as key
      from api_tokens
      where hash = any (array(
          select left(key, 64) from jsonb_array_elements_text(${JSON.stringify(keys)}::text::jsonb) as sent (key)))
        and revoked_at is null and (expires_at is null or expires_at > now())
    ) known`;
}
