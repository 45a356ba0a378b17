import type { Key as PublicKey } from 'openpgp';
import { onDisk } from '../../disk/disk-errors.js';
import { ReconError, messageOf } from '../../errors.js';
import { showName } from '../../remote/file-names.js';
import type { OpenPgpSettings } from '../../remote/source-settings.js';
import { nameInside, type PackedEntry, type PackedFile } from './layer.js';
import {
  endOf,
  endText,
  idOf,
  loadOpenPgp,
  readPrivateKeys,
  readSenderKeys,
  UnusableKey,
  type OpenPgp,
} from './openpgp-keys.js';

/**
 * An encrypted file is held in memory, because nothing of it may be used before its signature and its integrity are
 * verified. 50 MB take about 120 MB (measured).
 */
const maximumEncryptedBytes = 256 * 1024 ** 2;

/** Node verifies no signature over more bytes. */
const maximumPlainBytes = 2 ** 31 - 1;

const armor = '-----BEGIN PGP MESSAGE-----';

/** The mark of a text file, which an editor may have written before the first line. */
const mark = '\xef\xbb\xbf';

/**
 * The first bytes of a message: the packet of a session key for a public key or a passphrase, or of encrypted data, in
 * the old and the new format. No UTF-8 text with the header of a settlement file begins like this.
 */
const firstBytes = new Set([0x84, 0x85, 0x86, 0x8c, 0x8d, 0xa4, 0xa5, 0xc1, 0xc3, 0xc9, 0xd2, 0xd4]);

/** Whether a file begins like an OpenPGP message. The binary form counts only for sources that use OpenPGP. */
export function isOpenPgp(head: Buffer, settings: OpenPgpSettings | null): boolean {
  if (armorsIn(head).length > 0) return true;
  return settings !== null && head[0] !== undefined && firstBytes.has(head[0]);
}

/** Where armored messages begin. A mail program may have written lines of text before them. */
function armorsIn(bytes: Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(armor); at !== -1; at = bytes.indexOf(armor, at + armor.length)) {
    const before = bytes.toString('latin1', Math.max(0, at - 3), at);
    if (at === 0 || before.endsWith('\n') || (at === mark.length && before === mark)) found.push(at);
  }
  return found;
}

/** A file becomes larger than its limits allow, which is noticed while it is decompressed. */
export class DecryptsToMore extends Error {}

/**
 * The one file in an OpenPGP message, decrypted and, if the source names the key of its sender, verified.
 *
 * @param mostBytes of what was encrypted, after it is decompressed
 * @throws ReconError FILE_DECRYPTION_FAILED, FILE_SIGNATURE_INVALID, FILE_PACKED_TOO_LARGE, OPENPGP_MISSING
 * @throws DecryptsToMore
 */
export async function* openPgpEntries(
  file: PackedFile,
  settings: OpenPgpSettings | null,
  mostBytes: number,
): AsyncGenerator<PackedEntry> {
  if (settings === null) {
    throw undecrypted(file, 'it is encrypted with OpenPGP, and its source has no setting `openpgp`');
  }
  if (file.sizeBytes > maximumEncryptedBytes) {
    throw new ReconError(
      'FILE_PACKED_TOO_LARGE',
      `${showName(file.name)} has ${file.sizeBytes} bytes; an encrypted file may have at most ${maximumEncryptedBytes}. No part of it was kept. Ask the sender for smaller files.`,
    );
  }
  const openpgp = await loadOpenPgp();
  const bytes = await onDisk(`read ${showName(file.name)}`, () => file.bytes.part(0, file.sizeBytes));
  const keys = await keysFor(openpgp, file, settings);
  const plain = await decrypt(openpgp, { file, bytes }, keys, mostBytes);
  yield { name: nameInside(file.name, 'openpgp'), bytes: inChunks(plain) };
}

async function decrypt(
  openpgp: OpenPgp,
  { file, bytes }: { readonly file: PackedFile; readonly bytes: Buffer },
  { decryptionKeys, verificationKeys }: Keys,
  mostBytes: number,
): Promise<Uint8Array> {
  // `allowUnauthenticatedStream` stays off, and so do streams: nothing leaves this function before it is verified.
  const config = { maxDecompressedMessageSize: Math.min(mostBytes, maximumPlainBytes) };
  const armors = armorsIn(bytes);
  // The package would decrypt the first one and ignore the others.
  if (armors.length > 1) throw undecrypted(file, `it contains ${armors.length} OpenPGP messages, not one`);
  let encryptedFor: readonly KeyId[] = [];
  let result: { data: Uint8Array; signatures: Signature[] };
  try {
    const [begin] = armors;
    const message =
      begin !== undefined
        ? await openpgp.readMessage({ armoredMessage: bytes.toString('latin1', begin), config })
        : await openpgp.readMessage({ binaryMessage: bytes, config });
    encryptedFor = message.getEncryptionKeyIDs();
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the package calls what it reads a Key, and asks for its subclass
    result = await openpgp.decrypt({ message, decryptionKeys, verificationKeys, format: 'binary', config });
  } catch (thrown) {
    if (messageOf(thrown).includes('Maximum decompressed')) throw decryptsToMore(file, mostBytes, thrown);
    const ours = decryptionKeys.flatMap((key) => key.getKeyIDs());
    throw undecrypted(file, otherRecipient(encryptedFor, ours) ?? plainReason(messageOf(thrown)), thrown);
  }
  if (verificationKeys.length > 0) await requireSignature(file, result.signatures, verificationKeys);
  return result.data;
}

function decryptsToMore(file: PackedFile, mostBytes: number, cause: unknown): Error {
  if (mostBytes <= maximumPlainBytes) return new DecryptsToMore(messageOf(cause), { cause });
  return new ReconError(
    'FILE_PACKED_TOO_LARGE',
    `${showName(file.name)} decrypts to more than ${maximumPlainBytes} bytes, the most that an encrypted file may contain; no part of it was kept. Ask the sender for smaller files.`,
    { cause },
  );
}

type Keys = Awaited<ReturnType<typeof keysFor>>;

async function keysFor(openpgp: OpenPgp, file: PackedFile, settings: OpenPgpSettings) {
  try {
    return {
      decryptionKeys: await readPrivateKeys(openpgp, settings),
      verificationKeys: await readSenderKeys(openpgp, settings),
    };
  } catch (thrown) {
    if (!(thrown instanceof UnusableKey)) throw thrown;
    throw undecrypted(file, thrown.message, thrown);
  }
}

interface KeyId {
  toHex(): string;
}

/** The sender does not say for whom the message is. */
const anyKey = '0'.repeat(16);

/** The usual mistake after a change of keys. The package says only that it found no key packets. */
function otherRecipient(encryptedFor: readonly KeyId[], ours: readonly KeyId[]): string | undefined {
  const own = ours.map((id) => id.toHex());
  const others = encryptedFor.map((id) => id.toHex());
  if (others.length === 0 || others.some((id) => id === anyKey || own.includes(id))) return undefined;
  return `it is encrypted for key ${others.join(', ')}, and the private key of its source has the ids ${own.join(', ')}`;
}

/** What the package says about bytes that are no complete message. It names the part that it was reading. */
const isOfContent =
  /^Parsing .*failed|^Error during parsing|[Uu]nexpected (?:end|packet)|^Misformed armored|Modification detected|Decryption error/;

function plainReason(reason: string): string {
  if (/No public key encrypted session key/.test(reason)) {
    return 'it is encrypted with a passphrase, and not for a key. Ask the sender to encrypt for the key of its source';
  }
  return isOfContent.test(reason) ? `it is cut off or damaged (${reason.replace(/\.$/, '')})` : reason;
}

interface Signature {
  readonly keyID: KeyId;
  readonly verified: Promise<true>;
}

/** One valid signature of the sender is enough; an unknown one beside it changes nothing. */
async function requireSignature(
  file: PackedFile,
  signatures: readonly Signature[],
  senderKeys: readonly PublicKey[],
): Promise<void> {
  const reasons: string[] = [];
  for (const { keyID, verified } of signatures) {
    try {
      await verified;
      return;
    } catch (thrown) {
      reasons.push(await signatureReason(keyID.toHex(), senderKeys, messageOf(thrown)));
    }
  }
  const why = reasons.length === 0 ? 'it is not signed' : reasons.join('; ');
  throw new ReconError(
    'FILE_SIGNATURE_INVALID',
    `${showName(file.name)} has no valid signature of its sender: ${why}. Nothing of it was loaded.`,
  );
}

/** The package does not say which key it means, nor when it expired. */
async function signatureReason(
  keyId: string,
  senderKeys: readonly PublicKey[],
  reason: string,
): Promise<string> {
  const signer = senderKeys.find((key) => key.getKeyIDs().some((id) => id.toHex() === keyId));
  if (signer === undefined) {
    return `it was signed with key ${keyId}, and senderKeyFile contains only ${senderKeys.map(idOf).join(', ')}. Add the new key if the sender confirms it`;
  }
  if (/expired|revoked/i.test(reason)) {
    const end = endText(await endOf(signer, Date.now()));
    return `${reason}: ${idOf(signer)}${end}. Ask the sender for its new or prolonged key, and add it to senderKeyFile`;
  }
  return /in the future/.test(reason)
    ? 'its signature has a time in the future; the clock of the sender or of this machine is wrong'
    : reason.replace(/\.$/, '');
}

function undecrypted(file: PackedFile, why: string, cause?: unknown): ReconError {
  return new ReconError(
    'FILE_DECRYPTION_FAILED',
    `${showName(file.name)} could not be decrypted: ${why.replace(/\.$/, '')}. Nothing of it was loaded.`,
    { cause },
  );
}

const chunkBytes = 256 * 1024;

function* inChunks(bytes: Uint8Array): Generator<Buffer> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < buffer.length; at += chunkBytes) yield buffer.subarray(at, at + chunkBytes);
}
