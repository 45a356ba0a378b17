import type * as OpenPgpModule from 'openpgp';
import { ReconError, messageOf } from '../../errors.js';
import type { OpenPgpSettings } from '../../remote/source-settings.js';

/** The optional package, which is loaded once a source needs it. */
export type OpenPgp = typeof OpenPgpModule;
type PrivateKey = OpenPgpModule.PrivateKey;
/** The package calls what it reads a Key. */
type PublicKey = OpenPgpModule.Key;

/** Loads the optional package. @throws ReconError OPENPGP_MISSING */
export async function loadOpenPgp(load: () => Promise<OpenPgp> = () => import('openpgp')): Promise<OpenPgp> {
  try {
    return await load();
  } catch (thrown) {
    const { code } = thrown as { code?: unknown };
    const why = code === 'ERR_MODULE_NOT_FOUND' ? '' : ` or cannot be loaded: ${messageOf(thrown)}`;
    throw new ReconError(
      'OPENPGP_MISSING',
      `The package openpgp, which decrypts OpenPGP files, is not installed${why}.`,
      { cause: thrown },
    );
  }
}

/**
 * The private keys of a source, unlocked.
 *
 * @throws UnusableKey
 */
export async function readPrivateKeys(
  openpgp: OpenPgp,
  { privateKey: text, passphrase }: OpenPgpSettings,
): Promise<PrivateKey[]> {
  const keys: PrivateKey[] = [];
  for (const armoredKeys of armoredBlocks(text)) {
    for (const key of await readable('private key', () => openpgp.readPrivateKeys({ armoredKeys }))) {
      keys.push(key.isDecrypted() ? key : await unlock(openpgp, key, passphrase));
    }
  }
  return keys;
}

async function unlock(openpgp: OpenPgp, key: PrivateKey, passphrase: string | null): Promise<PrivateKey> {
  const which = `the private key of its source cannot be used: key ${idOf(key)}`;
  if (passphrase === null) {
    throw new UnusableKey(`${which} needs a passphrase, and the source has no passphraseFile`);
  }
  try {
    return await openpgp.decryptKey({ privateKey: key, passphrase });
  } catch (thrown) {
    const reason = messageOf(thrown);
    const why = /passphrase/i.test(reason) ? ' has another passphrase' : `: ${reason}`;
    throw new UnusableKey(`${which}${why}`, { cause: thrown });
  }
}

/**
 * The public keys of the sender of a source; none if the source names none.
 *
 * @throws UnusableKey
 */
export async function readSenderKeys(openpgp: OpenPgp, { senderKey }: OpenPgpSettings): Promise<PublicKey[]> {
  if (senderKey === null) return [];
  const keys: PublicKey[] = [];
  for (const armoredKeys of armoredBlocks(senderKey))
    keys.push(
      ...(await readable('key of its sender (senderKeyFile)', () => openpgp.readKeys({ armoredKeys }))),
    );
  return keys;
}

/** A key that is configured and cannot be used; the message is the reason, as part of a sentence about a file. */
export class UnusableKey extends Error {}

async function readable<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    throw new UnusableKey(`the ${what} cannot be read: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/**
 * A file may contain the former key and the new one, one after the other. `gpg --export` writes all keys of a name into
 * one block.
 */
function armoredBlocks(text: string): string[] {
  return text.match(/-----BEGIN PGP [A-Z ]+-----[^]*?-----END PGP [A-Z ]+-----/g) ?? [text];
}

/** The id of a key, as the sender and GnuPG name it. */
export const idOf = (key: PrivateKey | PublicKey) => key.getKeyID().toHex();

/** What ends the use of a key. */
export type KeyEnd =
  { readonly kind: 'expired' | 'expires'; readonly on: string } | { readonly kind: 'revoked' } | null;

/** Whether a key was revoked or expires; null if neither. Days are days of UTC. */
export async function endOf(key: PrivateKey | PublicKey, nowMs: number): Promise<KeyEnd> {
  if (await key.isRevoked()) return { kind: 'revoked' };
  const end = await key.getExpirationTime();
  if (!(end instanceof Date)) return null;
  return { kind: end.getTime() <= nowMs ? 'expired' : 'expires', on: end.toISOString().slice(0, 10) };
}

/**
 * Reads and unlocks the keys of a source, for `recon doctor`, and says which they are.
 *
 * @throws ReconError FILE_DECRYPTION_FAILED, FILE_SIGNATURE_INVALID when files cannot be read; OPENPGP_MISSING
 */
export async function describeOpenPgpKeys(settings: OpenPgpSettings, nowMs: number): Promise<string> {
  const openpgp = await loadOpenPgp();
  try {
    const own = await readPrivateKeys(openpgp, settings);
    const sender = await readSenderKeys(openpgp, settings);
    const senders = await Promise.all(sender.map((key) => judgeSenderKey(key, nowMs)));
    const named = senders.map(({ text }) => text).join(', ');
    if (sender.length > 0 && !senders.some(({ isUsable }) => isUsable)) {
      throw new ReconError(
        'FILE_SIGNATURE_INVALID',
        `No key of the sender can be used: ${named}. What it signs is refused. Ask the sender for its new or prolonged key, and add it to senderKeyFile.`,
      );
    }
    const ours = await Promise.all(own.map(async (key) => `${idOf(key)}${endText(await endOf(key, nowMs))}`));
    return [`private key ${ours.join(', ')}`, sender.length === 0 ? '' : `key of the sender ${named}`]
      .filter((part) => part !== '')
      .join('; ');
  } catch (thrown) {
    if (!(thrown instanceof UnusableKey)) throw thrown;
    throw new ReconError('FILE_DECRYPTION_FAILED', `${sentence(thrown.message)}.`, { cause: thrown });
  }
}

/**
 * A key of the sender as `doctor` shows it, and whether any signature of it is accepted. One that has not ended may be
 * too weak for that: DSA, or RSA of less than 2,047 bits.
 */
async function judgeSenderKey(key: PublicKey, nowMs: number): Promise<{ text: string; isUsable: boolean }> {
  const end = await endOf(key, nowMs);
  const text = `${idOf(key)}${endText(end)}`;
  if (end !== null && end.kind !== 'expires') return { text, isUsable: false };
  try {
    await key.getSigningKey(undefined, new Date(nowMs));
    return { text, isUsable: true };
  } catch (thrown) {
    const reason = messageOf(thrown).replace(/^Could not verify primary key: /, '');
    return { text: `${text} (its signatures are refused: ${reason.replace(/\.$/, '')})`, isUsable: false };
  }
}

/** As an addition to the id of a key. */
export function endText(end: KeyEnd): string {
  if (end === null) return '';
  if (end.kind === 'revoked') return ' (revoked)';
  return end.kind === 'expired' ? ` (expired on ${end.on})` : ` (expires on ${end.on})`;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
