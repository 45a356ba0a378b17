import { Archive } from '../../archive/archive.js';
import { ReconError } from '../../errors.js';
import { checkArchive } from '../../run/check-archive.js';
import type { CommandContext } from '../command-context.js';

/**
 * How many files are there, and with which keys.
 *
 * @throws ReconError DISK_FAILED, ARCHIVE_KEY_MISSING
 */
export async function describeArchive(context: CommandContext, thorough: boolean): Promise<string> {
  const { sql } = await context.database();
  const { dataDirectory, archive } = context.config();
  const { files, removed, encrypted, problems } = await checkArchive(
    sql,
    new Archive(dataDirectory, archive),
    { thorough },
  );
  const [first] = problems;
  if (first !== undefined) {
    const code = problems.every((problem) => problem.code === first.code) ? first.code : 'DISK_FAILED';
    throw new ReconError(code, problems.map(({ message }) => message).join('\n'));
  }
  const how = thorough ? 'unchanged by SHA-256' : 'there in full size';
  const gone = removed === 0 ? '' : `; ${removed} removed by retention`;
  if (files === 0) return removed === 0 ? 'nothing was received yet' : `no file${gone}`;
  const keys = [...encrypted].sort().map(([name, count]) => `${count} encrypted with the key ${name}`);
  return [`${files === 1 ? `1 file, ${how}` : `${files} files, all ${how}`}${gone}`, ...keys].join('; ');
}
