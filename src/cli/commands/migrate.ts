import { exitCodes } from '../../errors.js';
import { requireWholeSchema } from '../../db/check-schema.js';
import { openAndMigrate, openDatabase, type DatabaseOptions, type DatabaseTarget } from '../../db/connect.js';
import { isDivided } from '../../db/divided.js';
import { migrateShards, requireShards } from '../../shards/describe-shards.js';
import { isGiven } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { databaseTarget } from '../../library/run-context-of.js';

export const migrate: RunCommand = async (context, _args, options) => {
  const target = databaseTarget(context.config());
  const databaseOptions = { logger: context.logger() };
  if (isGiven(options, 'check')) {
    await requireWhole(target, databaseOptions);
    context.print({ current: true }, () => 'The database has the schema of this version.');
    return exitCodes.done;
  }
  const applied = await openAndMigrate(target, databaseOptions);
  const shards = await requireWhole(target, databaseOptions, true);
  context.print({ applied, ...(shards === null ? {} : { shards }) }, () =>
    [
      applied.length === 0
        ? 'Nothing to do: the database has the schema of this version.'
        : `Applied ${applied.join(', ')}.`,
      ...Object.entries(shards ?? {}).map(
        ([name, names]) => `Applied to shard ${name}: ${names.join(', ')}.`,
      ),
    ].join('\n'),
  );
  return exitCodes.done;
};

/**
 * The record of migrations says what was made once, not what is still there. Shards are asked, and migrated first if
 * `migrate` is set.
 *
 * @returns what was applied to the shards; null if there are none
 */
async function requireWhole(
  target: DatabaseTarget,
  options: DatabaseOptions,
  migrate = false,
): Promise<Readonly<Record<string, readonly string[]>> | null> {
  const database = await openDatabase(target, options);
  try {
    const { sql } = database;
    const divided = await isDivided(sql);
    const applied = divided && migrate ? await migrateShards(sql, options.logger) : null;
    await requireWholeSchema(sql);
    if (divided) await requireShards(sql);
    return applied;
  } finally {
    await database.close();
  }
}
