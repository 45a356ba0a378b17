import type postgres from 'postgres';

/** int8 is `bigint`; dates and timestamps are text, because a `Date` has no day and no microseconds. */
export type Sql = postgres.Sql<{ bigint: bigint }>;
/** A transaction. A function that must run in one takes this type, so it cannot be called outside a transaction. */
export type Tx = postgres.TransactionSql<{ bigint: bigint }>;

/** Either of them, for a function that only reads. */
export type Reader = postgres.ISql<{ bigint: bigint }>;

/** A piece of SQL that becomes part of a statement and is never executed alone. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;
