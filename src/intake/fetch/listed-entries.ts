import type { Logger } from 'pino';
import { ReconError } from '../../errors.js';
import { judgeName, showName, type NameVerdict } from '../../remote/file-names.js';
import type { RemoteFile } from '../../remote/remote-folder.js';
import { isSidecar } from '../../remote/sidecar-names.js';
import type { SourceSettings } from '../../remote/source-settings.js';

/** An entry of a listing. */
export interface Entry {
  readonly file: RemoteFile;
  readonly verdict: NameVerdict;
}

/**
 * Every entry once, in the order of code units, with the verdict on its name. A sidecar is ignored, because it is not a
 * settlement file.
 */
export function judgeEntries(
  listed: readonly RemoteFile[],
  { filePattern, totals }: Pick<SourceSettings, 'filePattern' | 'totals'>,
): Entry[] {
  return [...new Map(listed.map((file) => [file.name, file])).values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((file) => ({
      file,
      verdict:
        totals !== null && isSidecar(totals.sidecar, file.name)
          ? 'ignore'
          : judgeName(file.name, filePattern),
    }));
}

/** The entries that may be sidecars, by name. */
export function regularFiles(listed: readonly RemoteFile[]): ReadonlyMap<string, RemoteFile> {
  return new Map(listed.filter((file) => file.isRegular !== false).map((file) => [file.name, file]));
}

/** Whether it is a file that the run looks at. One with an unsafe name is reported. */
export function isChosen({ file, verdict }: Entry): boolean {
  return verdict !== 'ignore' && file.isRegular !== false;
}

/** Logs entries that match the pattern but are not files, since somebody may expect them. */
export function logIgnored(source: SourceSettings, entries: readonly Entry[], logger: Logger): void {
  const ignored = entries.filter(({ verdict }) => verdict === 'ignore').length;
  const special = entries.filter(({ file, verdict }) => verdict !== 'ignore' && file.isRegular === false);
  if (ignored > 0) logger.debug({ source: source.name, ignored }, 'entries that do not match the pattern');
  if (special.length > 0) {
    const names = special.slice(0, 10).map(({ file }) => showName(file.name));
    logger.warn(
      { source: source.name, count: special.length, names },
      'folders, links or pipes match the pattern; only regular files are fetched',
    );
  }
}

/** The error of a file whose name could lead to another place. */
export function unsafeName(file: RemoteFile): ReconError {
  return new ReconError(
    'FILE_NAME_UNSAFE',
    `A file name contains unsafe characters: ${showName(file.name)}; it was not fetched.`,
  );
}

const shownNames = 3;

/** Some of the names of files that do not match, so that a wrong pattern shows; empty if there are no files. */
export function otherNames(entries: readonly Entry[]): string {
  const names = entries
    .filter(
      ({ file, verdict }) => verdict === 'ignore' && file.isRegular !== false && !/^\.\.?$/.test(file.name),
    )
    .map(({ file }) => showName(file.name));
  if (names.length === 0) return '';
  const shown = names.slice(0, shownNames).join(', ');
  const rest = names.length > shownNames ? ` and ${names.length - shownNames} more` : '';
  return `, but there ${names.length === 1 ? 'is' : 'are'} ${shown}${rest}: is filePattern right?`;
}
