import { itemFields } from '../findings/item-texts.js';
import type { Fragment, Reader } from './fragment.js';

/**
 * The item `i` of a select of items as one JSON text, an array of texts: `json_build_array`, which finds out for each
 * value how to write it, took 1.3 µs more for each item.
 */
export function itemAsJson(sql: Reader): Fragment {
  const values = itemFields.map((name, index) => sql`${index === 0 ? sql`` : sql`, `}i.${sql(name)}::text`);
  return sql`to_json(array[${values}])::text`;
}
