import { exitCodes } from '../../errors.js';
import { requireWholeSchema } from '../../db/check-schema.js';
import { openAndMigrate, openDatabase, type DatabaseOptions, type DatabaseTarget } from '../../db/connect.js';
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
  await requireWhole(target, databaseOptions);
  context.print({ applied }, () =>
    applied.length === 0
      ? 'Nothing to do: the database has the schema of this version.'
      : `Applied ${applied.join(', ')}.`,
  );
  return exitCodes.done;
};

/** The record of migrations says what was made once, not what is still there. */
async function requireWhole(target: DatabaseTarget, options: DatabaseOptions): Promise<void> {
  const database = await openDatabase(target, options);
  try {
    await requireWholeSchema(database.sql);
  } finally {
    await database.close();
  }
}
