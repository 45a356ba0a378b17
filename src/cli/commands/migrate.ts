import { exitCodes } from '../../errors.js';
import { requireWholeSchema } from '../../db/migration/check-schema.js';
import type { Sql } from '../../db/client.js';
import { openAndMigrate, openDatabase, type DatabaseOptions, type DatabaseTarget } from '../../db/connect.js';
import { migrateShards, requireShards } from '../../shards/describe-shards.js';
import { isGiven } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { databaseTarget } from '../../library/run-context-of.js';

/** Applies the migrations that the database does not have yet. */
export const migrate: RunCommand = async (context, _args, options) => {
  const target = databaseTarget(context.config());
  const databaseOptions = { logger: context.logger(), closeOn: context.signal };
  if (isGiven(options, 'check')) {
    await inDatabase(target, databaseOptions, requireWhole);
    context.print({ current: true }, () => 'The database has the schema of this version.');
    return exitCodes.done;
  }
  const applied = await openAndMigrate(target, databaseOptions);
  const shards = await inDatabase(target, databaseOptions, async (sql) => {
    const appliedThere = await migrateShards(sql, databaseOptions.logger);
    await requireWhole(sql);
    return appliedThere;
  });
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

/** Opens the database for the work, and closes it. */
async function inDatabase<T>(
  target: DatabaseTarget,
  options: DatabaseOptions,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(target, options);
  try {
    return await work(database.sql);
  } finally {
    await database.close();
  }
}

/** The record of migrations says what was made once, not what is still there. */
async function requireWhole(sql: Sql): Promise<void> {
  await requireWholeSchema(sql);
  await requireShards(sql);
}
