import { inOwnTransaction } from '../../db/transaction.js';
import { exitCodes } from '../../errors.js';
import { lastFiles } from '../../listings/last-files.js';
import type { RunCommand } from '../command-definition.js';
import { expectedNow } from '../doctor/describe-expected.js';
import { expectedLines } from '../text/expected-lines.js';
import { minuteOf } from '../list-table.js';
import { textTable } from '../text/text-table.js';

/** The configured sources with the last file of each, and what became of its expected deliveries. Connects to none. */
export const sources: RunCommand = async (context) => {
  const configured = context.config().sources;
  const { sql } = await context.database();
  const last = await inOwnTransaction(sql, lastFiles, 'isolation level repeatable read read only');
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
    if (listed.length === 0) return 'No sources are configured.';
    const rows = listed.map(({ name, protocol, folder, lastFile }) => [
      name,
      protocol,
      folder,
      lastFile?.name ?? null,
      lastFile?.status ?? null,
      lastFile === null ? null : minuteOf(lastFile.receivedAt),
    ]);
    const head = ['source', 'protocol', 'folder', 'last file', 'status', 'received (UTC)'];
    return [textTable(head, rows, { paint }), ...expectedLines(expected, paint)].join('\n');
  });
  return exitCodes.done;
};
