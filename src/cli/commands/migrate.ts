import { exitCodes } from '../../errors.js';
import { openAndMigrate, openDatabase } from '../../db/connect.js';
import { isGiven } from '../command-arguments.js';
import type { RunCommand } from '../commands.js';
import { databaseTarget } from '../../library/run-context-of.js';

export const migrate: RunCommand = async (context, _args, options) => {
  const target = databaseTarget(context.config());
  if (isGiven(options, 'check')) {
    const database = await openDatabase(target, { logger: context.logger() });
    await database.close();
    context.print({ current: true }, () => 'The database has the schema of this version.');
    return exitCodes.done;
  }
  const applied = await openAndMigrate(target, { logger: context.logger() });
  context.print({ applied }, () =>
    applied.length === 0
      ? 'Nothing to do: the database has the schema of this version.'
      : `Applied ${applied.join(', ')}.`,
  );
  return exitCodes.done;
};
