/**
 * A query for the number of rows, and for a digest of them in any order as two numbers: the sums of both halves of the
 * MD5 of each row. The digests of parts add up to that of the whole.
 *
 * @param row the text of a row
 * @param from the table that has the rows, with its alias
 */
export const digestQuery = (row: string, from: string) => `
    select count(*)::text as rows,
      coalesce(sum(('x' || substr(hash, 1, 16))::bit(64)::bigint::numeric), 0)::text as first,
      coalesce(sum(('x' || substr(hash, 17))::bit(64)::bigint::numeric), 0)::text as second
    from (select md5(${row}) as hash from ${from}) hashed`;
