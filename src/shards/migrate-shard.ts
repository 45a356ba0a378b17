import { openAndMigrate } from '../db/connect.js';
import { comesFromLoss } from '../db/database-errors.js';
import { ReconError } from '../errors.js';
import type { Logger } from '../logger.js';

/** The database of a shard, as this machine reaches it; the URL may contain the password. */
export interface ShardDatabase {
  readonly name: string;
  readonly url: string;
}

/**
 * Migrates the database of a shard over a connection of this machine.
 *
 * @returns the applied migrations
 * @throws ReconError SHARD_UNREACHABLE, SHARD_INVALID, those of `openAndMigrate` with the name of the shard
 */
export async function migrateShard({ name, url }: ShardDatabase, logger: Logger): Promise<readonly string[]> {
  try {
    return await openAndMigrate({ url, setting: 'its URL' }, { logger });
  } catch (thrown) {
    throw thrown instanceof ReconError ? ofShard(name, thrown) : thrown;
  }
}

/** The errors of a connection name the configured database, so their advice would lead to the wrong server. */
function ofShard(name: string, error: ReconError): ReconError {
  if (error.code === 'DATABASE_UNREACHABLE' || comesFromLoss(error))
    return new ReconError(
      'SHARD_UNREACHABLE',
      `Shard ${name} cannot be reached from this machine. ${error.message}`,
      { cause: error },
    );
  const code = error.code === 'DATABASE_AUTHENTICATION' ? 'SHARD_INVALID' : error.code;
  return new ReconError(code, `Shard ${name}: ${error.message}`, { cause: error });
}
