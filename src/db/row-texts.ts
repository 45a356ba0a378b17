import type { Fragment, Reader } from './client.js';

/** How many values are joined at a time. */
const groupSize = 8;

/**
 * A select of rows as texts (`src/values/row-texts.ts`), each the column `line`. Values are joined with `||`, eight at
 * a time, so that little is copied twice: 37 of them take 2.3 µs, where `concat_ws` took 4.3 and a JSON array 4.1.
 *
 * @param rows is named `i`, behind `offset 0`, so that the server computes each value once
 * @param values those of a row `i`, as texts that are never null
 * @param order of the rows, over `i`. What is sorted is the text: a sort of all columns took three times as long.
 */
export function selectRowTexts(
  sql: Reader,
  {
    rows,
    values,
    order,
  }: { readonly rows: Fragment; readonly values: readonly Fragment[]; readonly order: Fragment },
): Fragment {
  return sql`
    select case when octet_length(t.line) - octet_length(replace(t.line, chr(31), '')) = ${values.length} then t.line
      else to_json(array[${inList(sql, values, sql`, `)}])::text end as line
    from (${rows} offset 0) i
    cross join lateral (select ${sideBySide(sql, values)} as line offset 0) t
    order by ${order}`;
}

/** `chr(31)` is the mark of the values. */
function sideBySide(sql: Reader, values: readonly Fragment[]): Fragment {
  const marked = values.map((value) => sql`chr(31) || ${value}`);
  const groups: Fragment[] = [];
  for (let first = 0; first < marked.length; first += groupSize) {
    groups.push(sql`(${inList(sql, marked.slice(first, first + groupSize), sql` || `)})`);
  }
  return inList(sql, groups, sql` || `);
}

function inList(sql: Reader, parts: readonly Fragment[], separator: Fragment): Fragment {
  return sql`${parts.map((part, index) => (index === 0 ? part : sql`${separator}${part}`))}`;
}
