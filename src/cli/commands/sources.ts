import { inOwnTransaction } from '../../db/transaction.js';
import { exitCodes } from '../../errors.js';
import { lastFiles, type LastFile } from '../../listings/last-files.js';
import type { RunCommand } from '../command-definition.js';
import { expectedNow } from '../doctor/describe-expected.js';
import { expectedLines } from '../text/expected-lines.js';
import { minuteOf } from '../list-table.js';
import { textTable } from '../text/text-table.js';
import { withoutDatabase } from '../without-runs.js';

/** The configured sources with the last file of each, and what became of its expected deliveries. Connects to none. */
export const sources: RunCommand = async (context) => {
  const configured = context.config().sources;
  const database = await context.existingDatabase();
  const last =
    database === undefined
      ? new Map<string, LastFile>()
      : await inOwnTransaction(database.sql, lastFiles, 'isolation level repeatable read read only');
  const expected = await expectedNow(context, configured);
  const listed = configured.map(({ name, protocol, folder, filePattern }) => ({
    name,
    protocol,
    folder,
    filePattern,
    lastFile: last.get(name) ?? null,
    expected: expected.filter(({ source }) => source === name),
  }));
  context.print(listed, (paint) => {
    const rows = listed.map(({ name, protocol, folder, lastFile }) => [
      name,
      protocol,
      folder,
      lastFile?.name ?? null,
      lastFile?.status ?? null,
      lastFile === null ? null : minuteOf(lastFile.receivedAt),
    ]);
    const head = ['source', 'protocol', 'folder', 'last file', 'status', 'received (UTC)'];
    const none = (sentence: string) =>
      database === undefined ? withoutDatabase(context.config(), sentence, false) : sentence;
    if (listed.length === 0) return none('No sources are configured.');
    return [
      textTable(head, rows, { paint }),
      ...expectedLines(expected, paint),
      ...(database === undefined ? [none('No file was received yet.')] : []),
    ].join('\n');
  });
  return exitCodes.done;
};
