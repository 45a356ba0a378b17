import { keysSentence, parseArchiveKeys, type ArchiveKeys } from '../archive/archive-keys.js';
import { secretOf, type RawSettings, type Surrounding } from './read-secret.js';

/**
 * The setting `archive` with its keys, which come from RECON_ARCHIVE_KEYS or else from `archive.keysFile`. Without
 * `encryptWith` new files are not encrypted, and the keys are only used to read files that are.
 */
export function completeArchive(
  setting: RawSettings,
  fromEnvironment: string | null,
  surrounding: Surrounding,
): ArchiveKeys {
  const { problem } = surrounding;
  const given = typeof setting['encryptWith'] === 'string' ? setting['encryptWith'] : null;
  const text =
    fromEnvironment ?? secretOf({ keysFile: setting['keysFile'] }, 'keys', ['archive'], surrounding);
  if (text === null) {
    if (given !== null && setting['keysFile'] === undefined)
      problem(['archive', 'encryptWith'], 'needs archive.keysFile or RECON_ARCHIVE_KEYS, which has the key');
    return { encryptWith: null, keys: {} };
  }
  const keys = parseArchiveKeys(text);
  if (keys === undefined) {
    // `environmentProblems` reports the variable.
    if (fromEnvironment === null) problem(['archive', 'keysFile'], `the file ${keysSentence}`);
    return { encryptWith: null, keys: {} };
  }
  if (given !== null && !Object.hasOwn(keys, given))
    problem(
      ['archive', 'encryptWith'],
      `names no key of ${fromEnvironment === null ? 'archive.keysFile' : 'RECON_ARCHIVE_KEYS'}`,
    );
  return { encryptWith: given, keys };
}
