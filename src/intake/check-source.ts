import type { SourceSettings } from '../remote/source-settings.js';
import { judgeEntries, otherNames } from './listed-entries.js';
import { SourceSession, type SessionDependencies } from './source-session.js';

/**
 * Connects and lists once, for `recon doctor`, and looks for the folder to which files are moved.
 *
 * @returns a sentence about what it found
 * @throws ReconError SOURCE_*
 */
export async function checkSource(source: SourceSettings, deps: SessionDependencies): Promise<string> {
  const session = new SourceSession(source, deps);
  try {
    const entries = judgeEntries(await session.do((folder) => folder.list()), source);
    const { afterSuccess } = source;
    if (afterSuccess.action === 'move')
      await session.do((folder) => folder.requireFolder(afterSuccess.folder));
    const count = entries.filter(
      ({ file, verdict }) => verdict === 'take' && file.isRegular !== false,
    ).length;
    const verdict = `reached; ${count === 1 ? '1 file matches' : `${count} files match`} ${source.filePattern}`;
    const others = count === 0 ? otherNames(entries) : '';
    return [`${verdict}${others}`, ...session.warnings].join('\n');
  } finally {
    await session.end();
  }
}
