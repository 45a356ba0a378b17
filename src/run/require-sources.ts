import { ReconError } from '../errors.js';
import type { SourceSettings } from '../remote/source-settings.js';

/**
 * Refuses a run that has nothing to read, before a database is opened or a run starts.
 *
 * @param names the requested sources; empty means all
 * @param suggest adds the name that was probably meant
 * @throws ReconError CONFIG_INVALID without any source, USAGE_INVALID for an unknown name
 */
export function requireSources(
  sources: readonly SourceSettings[],
  names: readonly string[],
  suggest: (unknown: string, configured: readonly string[]) => string = () => '',
): void {
  const configured = sources.map((source) => source.name);
  if (configured.length === 0) {
    throw new ReconError(
      'CONFIG_INVALID',
      'No source is configured and no file is given: there is nothing to read.',
    );
  }
  const unknown = names.find((name) => !configured.includes(name));
  if (unknown !== undefined) {
    throw new ReconError(
      'USAGE_INVALID',
      `There is no source named "${unknown}"${suggest(unknown, configured)}; configured: ${configured.join(', ')}.`,
    );
  }
}
