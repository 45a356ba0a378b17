import type { Sql, Tx } from '../../db/client.js';

/**
 * A condition: the column is one of these entities. Without a list, it is true for all.
 *
 * @param column `entity_id`, or with the name of its table
 */
export function ofEntities(sql: Sql | Tx, column: string, entityIds: readonly string[] | undefined) {
  const entities = entityIds === undefined ? null : JSON.stringify(entityIds);
  return sql`(${entities}::text is null
    or ${sql.unsafe(column)} in (select jsonb_array_elements_text(${entities}::text::jsonb) collate "C"))`;
}
