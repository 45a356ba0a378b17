import { readFileSync } from 'node:fs';
import path from 'node:path';
import { exitCodes } from '../../errors.js';
import { causeOf } from '../../disk/disk-errors.js';
import { readDatabaseUrl } from '../../db/connection/connection-address.js';
import type { DatabaseTarget } from '../../db/connect.js';
import { databaseTarget } from '../../library/run-context-of.js';
import { moveDatabase } from '../../move/move-database.js';
import { authorOption, textOption, usageError, type Options } from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { textTable } from '../text/text-table.js';

/** Moves all data to another database. */
export const move: RunCommand = async (context, _args, options) => {
  const config = context.config();
  const to = targetOf(context, options, config.dataDirectory);
  const from = databaseTarget(config);
  if (!('url' in from) && !('url' in to)) {
    throw usageError(
      'The embedded database is the one in use, so it can only be moved to a server: --to URL.',
    );
  }
  const tables = await moveDatabase({
    from,
    to,
    author: authorOption(options, context.environment),
    clock: Date.now,
    logger: context.logger(),
    progress: context.progress(),
    signal: context.signal,
  });
  const next =
    'url' in to
      ? 'Now set databaseUrl (or RECON_DATABASE_URL) to the new server; the data folder stays as it is.'
      : 'Now remove databaseUrl and RECON_DATABASE_URL; the embedded database is used without them.';
  context.print({ moved: true, tables }, (paint) => {
    if (tables.length === 0) return `Nothing to do: an earlier \`recon move\` completed this move.\n${next}`;
    const table = textTable(
      ['table', 'rows', 'state'],
      tables.map(({ table, rows, state }) => [table, rows, state === 'there' ? 'already the same' : state]),
      { paint },
    );
    return `${table}\nEvery table was verified. The old database keeps its rows and is marked as moved.\n${next}`;
  });
  return exitCodes.done;
};

function targetOf(context: CommandContext, options: Options, dataDirectory: string): DatabaseTarget {
  const [to, file] = [textOption(options, 'to'), textOption(options, 'toFile')];
  if (to === null && file === null) throw usageError('move needs --to URL, --to embedded or --to-file FILE.');
  if (to !== null && file !== null) throw usageError('--to and --to-file cannot be combined.');
  if (to === 'embedded') return { dataDirectory };
  const url = to ?? readUrl(path.resolve(context.cwd, file ?? ''));
  const setting = to === null ? 'The URL in the file of --to-file' : 'The URL of --to';
  readDatabaseUrl(url, setting);
  return { url, setting };
}

function readUrl(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (thrown) {
    throw usageError(`The file of --to-file cannot be read: ${causeOf(thrown)}.`);
  }
}
