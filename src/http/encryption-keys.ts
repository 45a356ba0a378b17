import { randomBytes } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { isOccupied, toDiskError } from '../disk/disk-errors.js';
import { syncDirectory } from '../disk/durable.js';
import { readTextIfThere } from '../disk/unless-missing.js';
import { createTextFile, makeFolder } from '../disk/private-files.js';
import { ReconError } from '../errors.js';
import type { EncryptionKeys, Environment } from '../payment-core/index.js';

const key = z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits');
const keysSchema = z
  .strictObject({ current: z.string().min(1), keys: z.record(z.string(), key), lookup: key })
  .refine(({ current, keys }) => Object.hasOwn(keys, current), 'current must be the name of one of the keys');

interface KeySources {
  /** The text of `paymentCore.keysFile` or of RECON_ENCRYPTION_KEYS; null if there is none. */
  readonly configured: string | null;
  readonly environment: Environment;
  readonly dataDirectory: string;
}

/**
 * The keys that account numbers are sealed with. In test they are made on first use; in live their loss would make
 * stored card numbers unreadable, so the operator must provide and keep them.
 *
 * @throws ReconError CONFIG_INVALID when they are missing in live, or not valid; no message contains a key
 */
export async function readEncryptionKeys(sources: KeySources): Promise<EncryptionKeys> {
  const { configured, environment, dataDirectory } = sources;
  if (configured !== null)
    return parseKeys(configured, 'The encryption keys of paymentCore.keysFile or RECON_ENCRYPTION_KEYS');
  if (environment === 'live') {
    throw new ReconError(
      'CONFIG_INVALID',
      'The live environment needs encryption keys: set paymentCore.keysFile or RECON_ENCRYPTION_KEYS.',
    );
  }
  const file = path.join(dataDirectory, 'payment-core-keys.json');
  return parseKeys(await readOrMake(file), `The encryption keys in ${file}`);
}

function parseKeys(text: string, what: string): EncryptionKeys {
  const parsed = keysSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`;
  throw new ReconError(
    'CONFIG_INVALID',
    `${what} are not valid${place}: they must be JSON such as {"current": "2026", "keys": {"2026": KEY}, "lookup": KEY}, where each KEY has 64 hexadecimal digits.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Two processes may start at the same moment: the first name on the disk counts, and is always complete. */
async function readOrMake(file: string): Promise<string> {
  try {
    const stored = await readTextIfThere(file);
    if (stored !== undefined) return stored;
    await makeFolder(path.dirname(file));
    const written = `${file}.${randomBytes(4).toString('hex')}.partial`;
    await createTextFile(written, newKeys());
    await link(written, file).catch((thrown: unknown) => {
      if (!isOccupied(thrown)) throw thrown;
    });
    await rm(written, { force: true });
    await syncDirectory(path.dirname(file));
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw toDiskError(`read or write ${file}`, thrown) ?? thrown;
  }
}

function newKeys(): string {
  const hex = () => randomBytes(32).toString('hex');
  return `${JSON.stringify({ current: 'first', keys: { first: hex() }, lookup: hex() }, null, 2)}\n`;
}
