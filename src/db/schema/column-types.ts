import { customType, timestamp } from 'drizzle-orm/pg-core';

/**
 * Text compared byte by byte. Every identifier has this collation, in records and payments alike: a join between
 * columns of different collations cannot use an index (measured: minutes instead of milliseconds), and the order of
 * reports must not depend on the server's locale.
 */
export const identifier = customType<{ data: string }>({
  dataType: () => 'text COLLATE "C"',
});

/** A point in time, read and written as ISO text: a driver's `Date` would drop microseconds and zone. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
