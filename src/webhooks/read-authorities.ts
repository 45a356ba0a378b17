import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { causeOf, systemErrorOf } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';

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
