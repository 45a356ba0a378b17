import { ReconError } from '../../errors.js';
import type { CheckedShard } from '../../shards/describe-shards.js';

/**
 * One line about a shard that can be used.
 *
 * @throws ReconError why it cannot
 */
export function describeShard({ error, state, version, token, unconfirmed, rows }: CheckedShard): string {
  if (error !== null) throw new ReconError(error.code, error.message);
  const server = `PostgreSQL ${version ?? ''} with the schema of this version`;
  if (state === 'noted') return `${server}; not used yet: \`recon shards divide\` moves data there`;
  const counts = Object.entries(rows).map(([table, count]) => `${count} in ${table}`);
  return `${server}; token ${token ?? ''}; ${unconfirmed ?? 0} unconfirmed transactions; rows: ${counts.join(', ')}`;
}
