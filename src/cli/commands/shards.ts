import { exitCodes, errorCatalogue } from '../../errors.js';
import { databaseTarget } from '../../library/run-context-of.js';
import { addShard } from '../../shards/add-shard.js';
import { checkShards, shardAddresses } from '../../shards/describe-shards.js';
import { divideData } from '../../shards/divide-data.js';
import { removeShard } from '../../shards/remove-shard.js';
import { authorOption, textOption, usageError } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { describeShard } from '../doctor/describe-shard.js';
import { textTable } from '../text/text-table.js';
import { withoutDatabase } from '../without-runs.js';

/** Adds a database to those over which payments, records and results are divided. */
export const add: RunCommand = async (context, _args, options) => {
  const name = textOption(options, 'name');
  const url = textOption(options, 'url');
  if (name === null || url === null) throw usageError('shards add needs --name NAME and --url URL.');
  // Opened first: the embedded database is created and migrated by that.
  const { url: home } = await context.database();
  const { shards, isUsed } = await addShard({
    home,
    name,
    url: withPassword(url, context.environment['PGPASSWORD']),
    author: authorOption(options, context.environment),
    logger: context.logger(),
  });
  const where = shards === 1 ? 'there' : `on ${shards} shards`;
  context.print({ added: name, shards, ...(isUsed ? {} : { noted: true }) }, () =>
    isUsed
      ? `Shard ${name} was added. Payments, records and results will be stored ${where}.`
      : `Shard ${name} was noted. Nothing is stored there yet: when all shards are noted, \`recon shards divide\` moves the data.`,
  );
  return exitCodes.done;
};

/** Opens the database itself, so that its sessions differ from those of other programs. */
export const divide: RunCommand = async (context, _args, options) => {
  const { shards, tables } = await divideData({
    home: databaseTarget(context.config()),
    author: authorOption(options, context.environment),
    logger: context.logger(),
    progress: context.progress(),
    signal: context.signal,
  });
  context.print({ shards, tables }, (paint) => {
    if (tables.length === 0)
      return `Nothing to do: payments, records and results are on ${shards.join(', ')} already.`;
    const table = textTable(
      ['table', 'rows', ...shards],
      tables.map((each) => [each.table, each.rows, ...shards.map((shard) => each.shards[shard] ?? 0)]),
      { paint },
    );
    return `${table}\nEvery row was verified on its shard, and the home database no longer has these tables.\nNow back up the home database and all shards together.`;
  });
  return exitCodes.done;
};

/** As every program of PostgreSQL does it: a password in the command line can be read by others. */
function withPassword(url: string, password: string | undefined): string {
  if (password === undefined || password === '' || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.password === '') parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** Removes a shard that has no data yet. */
export const remove: RunCommand = async (context, [name = ''], options) => {
  const { url: home } = await context.database();
  const shards = await removeShard({ home, name, author: authorOption(options, context.environment) });
  context.print(
    { removed: name, shards },
    () => `Shard ${name} was removed. Its database stays as it is, and can be added again.`,
  );
  return exitCodes.done;
};

/** The shards, and whether they have data. */
export const list: RunCommand = async (context) => {
  const database = await context.existingDatabase();
  if (database === undefined) {
    context.print([], () => withoutDatabase(context.config(), 'There are no shards.', false));
    return exitCodes.done;
  }
  const shards = await shardAddresses(database.sql);
  context.print(shards, (paint) =>
    shards.length === 0
      ? 'There are no shards: everything is stored in this database.'
      : textTable(
          ['shard', 'host', 'port', 'database', 'user', 'state'],
          shards.map(({ name, host, port, database, user, state }) => [
            name,
            host,
            port,
            database,
            user,
            state === 'used' ? 'in use' : 'not used yet',
          ]),
          { paint },
        ),
  );
  return exitCodes.done;
};

/** Asks every shard whether it can be reached, and has the schema of this program. */
export const check: RunCommand = async (context) => {
  const { sql } = await context.database();
  const shards = await checkShards(sql);
  context.print(
    shards,
    (paint) => {
      if (shards.length === 0) return 'There are no shards: everything is stored in this database.';
      return shards
        .map((shard) =>
          shard.error === null
            ? `${paint('good', 'ok   ')}  shard ${shard.name}: ${describeShard(shard)}`
            : `${paint('bad', 'WRONG')}  ${shard.error.message}\n       ${errorCatalogue[shard.error.code].advice} (${shard.error.code})`,
        )
        .join('\n');
    },
    shards.flatMap(({ error }) => (error === null ? [] : [`${error.message} (${error.code})`])),
  );
  return Math.max(
    ...shards.map(({ error }) => (error === null ? 0 : errorCatalogue[error.code].exitCode)),
    0,
  );
};
