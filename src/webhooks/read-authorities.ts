import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { causeOf, systemErrorOf } from '../disk/disk-errors.js';
import { onChangedFiles } from '../disk/on-changed-files.js';
import { ReconError } from '../errors.js';
import type { Logger } from '../logger.js';

/**
 * Reads the authorities of `webhooks.caFile`.
 *
 * @param file null if it is not set
 * @throws ReconError CONFIG_INVALID when it cannot be read, or has no certificate: Node would trust nobody silently
 */
export async function readAuthorities(file: string | null): Promise<string | null> {
  if (file === null) return null;
  try {
    const text = await readFile(file, 'utf8');
    new X509Certificate(text);
    return text;
  } catch (thrown) {
    const why = systemErrorOf(thrown) !== undefined ? causeOf(thrown) : 'it has no certificate in PEM';
    throw new ReconError('CONFIG_INVALID', `webhooks.caFile ${file} cannot be used: ${why}.`, {
      cause: thrown,
    });
  }
}

/**
 * Looks for a change of `webhooks.caFile`, and uses what it has then. If it cannot be used, for example because it is
 * not complete yet, the authorities stay as they are, and the log says why.
 *
 * @param use gets the changed authorities
 * @returns a function that stops looking
 */
export function reloadAuthorities(
  file: string,
  use: (authorities: string | null) => void,
  logger: Logger,
): () => void {
  return onChangedFiles([file], async () => {
    try {
      use(await readAuthorities(file));
      logger.info('The authorities of webhooks.caFile were replaced.');
    } catch (thrown) {
      logger.error({ err: thrown }, 'The changed webhooks.caFile cannot be used; the old one stays in use.');
    }
  });
}
