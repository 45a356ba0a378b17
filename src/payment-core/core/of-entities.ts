import type { Sql, Tx } from '../../db/client.js';

/**
 * A condition: the column is one of these entities. Without a list, it is true for all. For one entity, it is a
 * comparison, which an index answers.
 *
 * @param column `entity_id`, or with the name of its table
 */
export function ofEntities(sql: Sql | Tx, column: string, entityIds: readonly string[] | undefined) {
  const [only, ...others] = entityIds ?? [];
  if (only !== undefined && others.length === 0) return sql`${sql.unsafe(column)} = ${only}`;
  const entities = entityIds === undefined ? null : JSON.stringify(entityIds);
  return sql`(${entities}::text is null
    or ${sql.unsafe(column)} in (select jsonb_array_elements_text(${entities}::text::jsonb) collate "C"))`;
}
