import { showName } from '../../remote/file-names.js';
import type { RemoteFile } from '../../remote/remote-folder.js';
import { belongsToTaken, isSidecar } from '../../remote/sidecar-names.js';
import type { SourceSettings } from '../../remote/source-settings.js';
import { mayStillWait, sidecarNames } from './fetch-sidecar.js';
import { regularFiles } from './listed-entries.js';

/**
 * The names of listed sidecars whose settlement file is not there, after the time for which a file would wait for its
 * sidecar. The sender has probably not sent the file, or has given it another name. Pure.
 */
export function totalsWithoutFile(
  listed: readonly RemoteFile[],
  { totals, filePattern }: Pick<SourceSettings, 'totals' | 'filePattern'>,
  nowMs: number,
): string[] {
  if (totals === null) return [];
  const files = [...regularFiles(listed).values()];
  const sidecars = files.filter(
    ({ name }) => isSidecar(totals.sidecar, name) && belongsToTaken(totals.sidecar, name, filePattern),
  );
  if (sidecars.length === 0) return [];
  const belonging = new Set(
    files
      .filter(({ name }) => !isSidecar(totals.sidecar, name))
      .flatMap(({ name }) => sidecarNames(totals, name)),
  );
  return sidecars
    .filter(
      (file) =>
        !belonging.has(file.name) && (file.modifiedAtMs === null || !mayStillWait(totals, file, nowMs)),
    )
    .map(({ name }) => name)
    .sort();
}

/** A sentence about such sidecars of a source, for a person; none if there are none. Pure. */
export function totalsWithoutFileNotice(source: string, names: readonly string[]): string[] {
  const [first, ...others] = names;
  if (first === undefined) return [];
  if (others.length === 0) {
    return [
      `Source ${source} has ${showName(first)} with announced totals, but not the settlement file. Ask the sender for it.`,
    ];
  }
  return [
    `Source ${source} has ${names.length} files with announced totals, such as ${showName(first)}, but not their settlement files. Ask the sender for them.`,
  ];
}
