import { openAndMigrate, openDatabase } from '../../db/connect.js';
import { targetOf } from '../open-context.js';
import type { RunCommand } from '../program.js';

export const migrate: RunCommand = async (context, _args, options) => {
  const target = targetOf(context.config());
  if (options['check'] === true) {
    await (await openDatabase(target, { logger: context.logger() })).close();
    context.print({ current: true }, () => 'The database has the schema of this version.');
    return 0;
  }
  const applied = await openAndMigrate(target, { logger: context.logger() });
  context.print({ applied }, () =>
    applied.length === 0
      ? 'Nothing to do: the database has the schema of this version.'
      : `Applied ${applied.join(', ')}.`,
  );
  return 0;
};
