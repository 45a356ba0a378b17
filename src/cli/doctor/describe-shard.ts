import { ReconError } from '../../errors.js';
import type { CheckedShard } from '../../shards/describe-shards.js';

/**
 * One line about a shard that can be used.
 *
 * @throws ReconError why it cannot
 */
export function describeShard({ error, version, token, unconfirmed, rows }: CheckedShard): string {
  if (error !== null) throw new ReconError(error.code, error.message);
  const counts = Object.entries(rows).map(([table, count]) => `${count} in ${table}`);
  return `PostgreSQL ${version ?? ''} with the schema of this version; token ${token ?? ''}; ${unconfirmed ?? 0} unconfirmed transactions; rows: ${counts.join(', ')}`;
}
