import type postgres from 'postgres';

/** A connection or a transaction: items are read in both. */
export type Reader = postgres.ISql<{ bigint: bigint }>;

/** A piece of SQL that becomes part of a statement and is never executed alone. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;
