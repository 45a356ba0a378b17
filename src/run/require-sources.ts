import { ReconError } from '../errors.js';
import type { SourceSettings } from '../remote/source-settings.js';

/**
 * Refuses a run that has nothing to read, before a database is opened or a run starts.
 *
 * @param names the requested sources; empty means all
 * @param file the configuration that was read; null if there is none
 * @param lookedFor the file that a configuration would be in; null if none is read
 * @param suggest adds the name that was probably meant
 * @throws ReconError CONFIG_INVALID without any source, USAGE_INVALID for an unknown name
 */
export function requireSources(
  { sources, file }: { readonly sources: readonly SourceSettings[]; readonly file: string | null },
  names: readonly string[],
  lookedFor: string | null,
  suggest: (unknown: string, configured: readonly string[]) => string = () => '',
): void {
  const configured = sources.map((source) => source.name);
  if (configured.length === 0) {
    throw new ReconError('CONFIG_INVALID', `${whyNone(file, lookedFor)}: there is nothing to read.`);
  }
  const unknown = names.find((name) => !configured.includes(name));
  if (unknown !== undefined) {
    throw unknownSource(unknown, configured, suggest(unknown, configured));
  }
}

/**
 * The error for the name of a source that is not configured.
 *
 * @param suggestion names the source that was probably meant
 */
export function unknownSource(name: string, configured: readonly string[], suggestion = ''): ReconError {
  const names = configured.join(', ') || 'none';
  return new ReconError(
    'USAGE_INVALID',
    `There is no source named "${name}"${suggestion}; configured: ${names}.`,
  );
}

/** Only the file of the default name may be absent. */
function whyNone(file: string | null, lookedFor: string | null): string {
  if (file !== null) return `${file} has no sources, and no file is given`;
  return lookedFor === null
    ? 'No source is configured and no file is given'
    : `There is no configuration ${lookedFor}, and no file is given`;
}
