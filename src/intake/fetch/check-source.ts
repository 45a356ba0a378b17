import type { SourceSettings } from '../../remote/source-settings.js';
import { isSidecar } from '../../remote/sidecar-names.js';
import { judgeEntries, otherNames } from './listed-entries.js';
import { SourceSession, type SessionDependencies } from './source-session.js';
import { totalsWithoutFile, totalsWithoutFileNotice } from './totals-without-file.js';

/**
 * Connects and lists once, for `recon doctor`, and looks for the folder to which files are moved.
 *
 * @returns a sentence about what it found
 * @throws ReconError SOURCE_*
 */
export async function checkSource(
  source: SourceSettings,
  dependencies: SessionDependencies & { readonly clock: () => number },
): Promise<string> {
  const session = new SourceSession(source, dependencies);
  try {
    const listed = await session.do((folder) => folder.list());
    const entries = judgeEntries(listed, source);
    const { afterSuccess, totals } = source;
    if (afterSuccess.action === 'move')
      await session.do((folder) => folder.requireFolder(afterSuccess.folder));
    const count = entries.filter(
      ({ file, verdict }) => verdict === 'take' && file.isRegular !== false,
    ).length;
    const verdict = `reached; ${count === 1 ? '1 file matches' : `${count} files match`} ${source.filePattern}`;
    const unknown = entries.filter(({ file }) => totals === null || !isSidecar(totals.sidecar, file.name));
    const others = count === 0 ? otherNames(unknown) : '';
    const alone = totalsWithoutFileNotice(
      source.name,
      totalsWithoutFile(listed, source, dependencies.clock()),
    );
    return [`${verdict}${others}`, ...session.warnings, ...alone.map((notice) => `Warning: ${notice}`)].join(
      '\n',
    );
  } finally {
    await session.end();
  }
}
