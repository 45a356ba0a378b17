import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import * as openpgp from 'openpgp';
import { expect, onTestFinished, test } from 'vitest';
import { loadOpenPgp } from '../../src/intake/packed/openpgp-keys.js';
import type { RunOutcome } from '../../src/outcome.js';
import { folderForThisTest } from '../support/test-folder.js';
import { inboxConfig, statusesOf } from './inbox.js';
import { createInstallation, filesBelow, settlementFile, type Installation } from './installation.js';

/** Settlement files may come encrypted with OpenPGP, and signed by their sender (design 11). */

const passphrase = 'correct horse';

const keyOf = (name: string, protectedBy?: string, life: { date?: Date; keyExpirationTime?: number } = {}) =>
  openpgp.generateKey({
    userIDs: [{ name, email: `${name}@example.com` }],
    format: 'armored',
    ...(protectedBy === undefined ? {} : { passphrase: protectedBy }),
    ...life,
  });

interface Message {
  readonly to: string;
  readonly by?: string;
  readonly armored?: boolean;
}

async function encrypt(content: string | Buffer, { to, by, armored = false }: Message): Promise<Buffer> {
  const message = await openpgp.createMessage({ binary: Buffer.from(content) });
  const encryptionKeys = await openpgp.readKey({ armoredKey: to });
  const signed = by === undefined ? {} : { signingKeys: await openpgp.readPrivateKey({ armoredKey: by }) };
  const options = { message, encryptionKeys, ...signed };
  return armored
    ? Buffer.from(await openpgp.encrypt({ ...options, format: 'armored' }))
    : Buffer.from(await openpgp.encrypt({ ...options, format: 'binary' }));
}

/** The setting `openpgp` of a source. */
const openpgpOf = (...settings: readonly string[]) => `openpgp: { ${settings.join(', ')} }`;

const idOf = async (armoredKey: string) => (await openpgp.readKey({ armoredKey })).getKeyID().toHex();

/** What `recon doctor` says about the keys of the source `bank`. */
async function checkOfKeys(installation: Installation) {
  const { document } = await installation.json<{
    checks: { subject: string; message: string; ok: boolean }[];
  }>('doctor');
  return document.checks.find(({ subject }) => subject === 'openpgp of bank');
}

test('encrypted files are decrypted and their signature is required; nothing unverified is loaded', async () => {
  const installation = await createInstallation();
  const [ours, bank, stranger] = [
    await keyOf('recon', passphrase),
    await keyOf('bank'),
    await keyOf('stranger'),
  ];
  installation.write('ours.asc', ours.privateKey);
  installation.write('passphrase', `${passphrase}\n`);
  // Two keys one after the other: the bank is exchanging its key.
  installation.write('bank.asc', `${(await keyOf('old')).publicKey}\n${bank.publicKey}`);
  const keys = ['privateKeyFile: ours.asc', 'passphraseFile: passphrase', 'senderKeyFile: bank.asc'];
  installation.write('recon.config.yaml', inboxConfig(openpgpOf(...keys)));
  const to = ours.publicKey;
  const plain = settlementFile(1);
  const signed = await encrypt(plain, { to, by: bank.privateKey });
  const damaged = Buffer.from(signed);
  damaged[signed.length - 30] = (damaged[signed.length - 30] ?? 0) ^ 1;
  installation.write('inbox/1-signed.csv.pgp', signed);
  installation.write(
    'inbox/2-packed.csv.gz.asc',
    await encrypt(gzipSync(settlementFile(2)), { to, by: bank.privateKey, armored: true }),
  );
  installation.write('inbox/3-damaged.pgp', damaged);
  installation.write('inbox/4-unsigned.pgp', await encrypt(settlementFile(4), { to }));
  installation.write('inbox/5-forged.pgp', await encrypt(settlementFile(5), { to, by: stranger.privateKey }));
  installation.write(
    'inbox/6-other-key.pgp',
    await encrypt(settlementFile(6), { to: stranger.publicKey, by: bank.privateKey }),
  );
  installation.write('inbox/6-truncated.pgp', signed.subarray(0, signed.length - 60));
  installation.write('inbox/7-plain.csv', Buffer.from(settlementFile(7)));
  installation.write('inbox/8-plain.csv.gz', gzipSync(settlementFile(8)));

  const first = await installation.json<RunOutcome>('run');
  expect([first.code, statusesOf(first.document)]).toEqual([
    4,
    [
      '1-signed.csv loaded',
      '2-packed.csv loaded',
      '3-damaged.pgp failed FILE_DECRYPTION_FAILED',
      '4-unsigned.pgp failed FILE_SIGNATURE_INVALID',
      '5-forged.pgp failed FILE_SIGNATURE_INVALID',
      '6-other-key.pgp failed FILE_DECRYPTION_FAILED',
      '6-truncated.pgp failed FILE_DECRYPTION_FAILED',
      '7-plain.csv failed FILE_NOT_ENCRYPTED',
      '8-plain.csv.gz failed FILE_NOT_ENCRYPTED',
    ],
  ]);
  expect(first.document.files[0]?.sha256).toBe(createHash('sha256').update(plain).digest('hex'));
  expect(first.document.files[3]?.error?.message).toContain('it is not signed');
  expect(first.document.files[5]?.error?.message).toMatch(
    /it is encrypted for key [0-9a-f]{16}, and the private key of its source has the ids [0-9a-f]{16}, [0-9a-f]{16}\./,
  );
  expect(first.document.files[6]?.error?.message).toContain('it is cut off or damaged');
  expect(JSON.stringify(first)).not.toContain(passphrase);
  expect(filesBelow(path.join(installation.dataDirectory, 'incoming'))).toEqual({});

  // Without the signature and with plain files allowed, what is readable is loaded; the rest is tried again each time.
  installation.write('recon.config.yaml', inboxConfig(openpgpOf(...keys.slice(0, 2), 'required: false')));
  const second = await installation.json<RunOutcome>('run');
  expect(statusesOf(second.document).slice(3)).toEqual([
    '4-unsigned loaded',
    '5-forged loaded',
    '6-other-key.pgp failed FILE_DECRYPTION_FAILED',
    '6-truncated.pgp failed FILE_DECRYPTION_FAILED',
    '7-plain.csv loaded',
    '8-plain.csv loaded',
  ]);

  // A source without keys reports an encrypted file as such; a wrong passphrase names the key.
  installation.write('recon.config.yaml', inboxConfig());
  installation.write('inbox/9.csv.asc', await encrypt(settlementFile(9), { to, armored: true }));
  const third = await installation.json<RunOutcome>('run');
  expect(third.document.files.at(-1)?.error?.message).toMatch(
    /^9\.csv\.asc could not be decrypted: .* no setting `openpgp`/,
  );
  installation.write('passphrase', 'wrong\n');
  installation.write('recon.config.yaml', inboxConfig(openpgpOf(...keys)));
  const fourth = await installation.json<RunOutcome>('run');
  expect(fourth.document.files.at(-1)?.error?.message).toContain(
    'the private key of its source cannot be used',
  );
});

test('a change of keys: the messages and the doctor say which key is meant, and what to do', async () => {
  const installation = await createInstallation();
  const dayMs = 24 * 3_600_000;
  const nowMs = Date.now();
  const long = { date: new Date(nowMs - 400 * dayMs) };
  const [ours, bank, changed] = [
    await keyOf('recon', passphrase, long),
    await keyOf('bank', undefined, { ...long, keyExpirationTime: 300 * 24 * 3600 }),
    await keyOf('bank', undefined, long),
  ];
  const privateKey = await openpgp.readPrivateKey({ armoredKey: bank.privateKey });
  const prolonged = await openpgp.reformatKey({
    privateKey,
    userIDs: [{ name: 'bank' }],
    date: new Date(nowMs - dayMs),
    keyExpirationTime: 0,
    format: 'armored',
  });
  const to = ours.publicKey;
  installation.write('ours.asc', ours.privateKey);
  installation.write('bank.asc', bank.publicKey);
  installation.write('passphrase', passphrase);
  installation.write('inbox/1.pgp', await encrypt(settlementFile(1), { to, by: prolonged.privateKey }));
  installation.write('inbox/2.pgp', await encrypt(settlementFile(2), { to, by: changed.privateKey }));
  const message = await openpgp.createMessage({ binary: Buffer.from(settlementFile(3)) });
  const options = { message, passwords: ['secret'] };
  installation.write('inbox/3.asc', Buffer.from(await openpgp.encrypt({ ...options, format: 'armored' })));
  const settings = ['privateKeyFile: ours.asc', 'senderKeyFile: bank.asc'];
  const doctor = () => checkOfKeys(installation);
  const expired = `${await idOf(bank.publicKey)} (expired on ${new Date(nowMs - 100 * dayMs).toISOString().slice(0, 10)})`;

  installation.write('recon.config.yaml', inboxConfig(openpgpOf(...settings)));
  const needsPassphrase = /needs a passphrase, and the source has no passphraseFile/;
  expect(await doctor()).toMatchObject({
    ok: false,
    message: expect.stringMatching(needsPassphrase) as string,
  });
  const locked = await installation.json<RunOutcome>('run');
  expect(locked.document.files[0]?.error?.message).toMatch(needsPassphrase);

  installation.write('recon.config.yaml', inboxConfig(openpgpOf(...settings, 'passphraseFile: passphrase')));
  expect(await doctor()).toMatchObject({
    ok: false,
    message: `No key of the sender can be used: ${expired}. What it signs is refused. Ask the sender for its new or prolonged key, and add it to senderKeyFile.`,
  });
  const { files } = (await installation.json<RunOutcome>('run')).document;
  expect(files.map(({ error }) => error?.message)).toEqual([
    expect.stringContaining(`expired: ${expired}. Ask the sender for its new or prolonged key`),
    expect.stringContaining(
      `it was signed with key ${await idOf(changed.publicKey)}, and senderKeyFile contains only ${await idOf(bank.publicKey)}. Add the new key if the sender confirms it.`,
    ),
    expect.stringContaining('it is encrypted with a passphrase, and not for a key.'),
  ]);

  installation.write('bank.asc', `${prolonged.publicKey}\n${changed.publicKey}`);
  expect(await doctor()).toMatchObject({
    ok: true,
    message: `private key ${await idOf(ours.publicKey)}; key of the sender ${await idOf(bank.publicKey)}, ${await idOf(changed.publicKey)}`,
  });
  expect(statusesOf((await installation.json<RunOutcome>('run')).document).slice(0, 2)).toEqual([
    '1 loaded',
    '2 loaded',
  ]);
});

test('the doctor says that the signatures of a weak key are refused', async () => {
  const installation = await createInstallation();
  const [ours, bank] = [await keyOf('recon'), await keyOf('bank')];
  const weak = await openpgp.generateKey({
    userIDs: [{ name: 'bank' }],
    format: 'armored',
    type: 'rsa',
    rsaBits: 1024,
    config: { minRSABits: 1024 },
  });
  const refused = `${await idOf(weak.publicKey)} (its signatures are refused: RSA keys shorter than 2047 bits are considered too weak)`;
  installation.write('ours.asc', ours.privateKey);
  installation.write(
    'recon.config.yaml',
    inboxConfig(openpgpOf('privateKeyFile: ours.asc', 'senderKeyFile: bank.asc')),
  );
  const doctor = (...keys: string[]) => {
    installation.write('bank.asc', keys.join('\n'));
    return checkOfKeys(installation);
  };

  expect(await doctor(weak.publicKey)).toMatchObject({
    ok: false,
    message: expect.stringContaining(`No key of the sender can be used: ${refused}.`) as string,
  });
  expect(await doctor(weak.publicKey, bank.publicKey)).toMatchObject({
    ok: true,
    message: expect.stringContaining(`key of the sender ${refused}, ${await idOf(bank.publicKey)}`) as string,
  });
});

test('one block may contain several keys, as GnuPG exports all keys of a name', async () => {
  const installation = await createInstallation();
  const [former, ours, formerBank, bank] = [
    await keyOf('recon', passphrase),
    await keyOf('recon', passphrase),
    await keyOf('bank'),
    await keyOf('bank'),
  ];
  const inOneBlock = async (kind: openpgp.enums.armor, ...armoredKeys: string[]) => {
    const keys = await Promise.all(armoredKeys.map((armoredKey) => openpgp.readKey({ armoredKey })));
    return openpgp.armor(kind, Buffer.concat(keys.map((key) => key.write())));
  };
  const { privateKey, publicKey } = openpgp.enums.armor;
  installation.write('ours.asc', await inOneBlock(privateKey, former.privateKey, ours.privateKey));
  installation.write('bank.asc', await inOneBlock(publicKey, formerBank.publicKey, bank.publicKey));
  installation.write('passphrase', passphrase);
  const keys = ['privateKeyFile: ours.asc', 'passphraseFile: passphrase', 'senderKeyFile: bank.asc'];
  installation.write('recon.config.yaml', inboxConfig(openpgpOf(...keys)));
  const message = { to: ours.publicKey, by: bank.privateKey };
  installation.write('inbox/1.pgp', await encrypt(settlementFile(1), message));
  const formerMessage = { to: former.publicKey, by: formerBank.privateKey };
  installation.write('inbox/2.pgp', await encrypt(settlementFile(2), formerMessage));
  const { code, document } = await installation.json<RunOutcome>('run');
  expect([code, statusesOf(document)]).toEqual([0, ['1 loaded', '2 loaded']]);
});

test('an armored message may have text before it; with a second one, the file is refused', async () => {
  const installation = await createInstallation();
  const ours = await keyOf('recon');
  installation.write('ours.asc', ours.privateKey);
  installation.write('recon.config.yaml', inboxConfig(openpgpOf('privateKeyFile: ours.asc')));
  const armored = (number: number) => encrypt(settlementFile(number), { to: ours.publicKey, armored: true });
  installation.write('inbox/1.asc', Buffer.concat([Buffer.from('\r\n'), await armored(1)]));
  installation.write('inbox/2.asc', Buffer.concat([Buffer.from('\ufeff'), await armored(2)]));
  installation.write('inbox/3.asc', Buffer.concat([Buffer.from('Your file:\n\n'), await armored(3)]));
  installation.write('inbox/4.asc', Buffer.concat([await armored(4), await armored(5)]));
  installation.write('inbox/6.asc', (await armored(6)).subarray(0, 400));
  const { document } = await installation.json<RunOutcome>('run');
  expect(statusesOf(document)).toEqual([
    '1 loaded',
    '2 loaded',
    '3 loaded',
    '4.asc failed FILE_DECRYPTION_FAILED',
    '6.asc failed FILE_DECRYPTION_FAILED',
  ]);
  expect(document.files[3]?.error?.message).toContain('it contains 2 OpenPGP messages, not one');
  expect(document.files[4]?.error?.message).toContain('it is cut off or damaged');
});

test('an encrypted file that unpacks to much more than its size is refused while it is decompressed', async () => {
  const installation = await createInstallation();
  const ours = await keyOf('recon');
  installation.write('ours.asc', ours.privateKey);
  installation.write('bank.asc', (await keyOf('bank')).publicKey);
  const keys = ['privateKeyFile: ours.asc', 'senderKeyFile: bank.asc'];
  installation.write('recon.config.yaml', inboxConfig(openpgpOf(...keys)));
  const message = await openpgp.createMessage({ binary: Buffer.alloc(17 * 1024 ** 2) });
  const encryptionKeys = await openpgp.readKey({ armoredKey: ours.publicKey });
  const config = { preferredCompressionAlgorithm: openpgp.enums.compression.zlib };
  const options = { message, encryptionKeys, config };
  const bytes = Buffer.from(await openpgp.encrypt({ ...options, format: 'binary' }));
  expect(bytes.length).toBeLessThan(50_000);
  installation.write('inbox/1.pgp', bytes);
  // Once all of it was decompressed, it would be refused because it is not signed.
  const { document } = await installation.json<RunOutcome>('run');
  expect(document.files[0]?.error).toMatchObject({
    code: 'FILE_PACKED_TOO_LARGE',
    message: `1.pgp unpacks to more than 200 times its ${bytes.length} bytes (unpack.maximumRatio); no part of it was kept.`,
  });
});

test('what GnuPG encrypts and signs is read', async (context) => {
  if (spawnSync('gpg', ['--version']).status !== 0) context.skip('gpg is not installed on this machine');
  const installation = await createInstallation();
  const home = folderForThisTest();
  onTestFinished(() => {
    spawnSync('gpgconf', ['--homedir', home, '--kill', 'all']);
  });
  const gpg = (...args: string[]) =>
    execFileSync('gpg', [
      '--homedir',
      home,
      '--batch',
      '--yes',
      '--quiet',
      '--trust-model',
      'always',
      ...args,
    ]);
  const [ours, bank] = [await keyOf('recon'), await keyOf('bank')];
  gpg('--import', installation.write('ours.pub', ours.publicKey));
  gpg('--import', installation.write('bank.key', bank.privateKey));
  installation.write('ours.asc', ours.privateKey);
  installation.write('bank.asc', bank.publicKey);
  const source = installation.write('a.csv', settlementFile(1));
  const target = path.join(installation.directory, 'a.csv.gpg');
  gpg(
    '--sign',
    '--local-user',
    'bank@example.com',
    '--encrypt',
    '--recipient',
    'recon@example.com',
    '--output',
    target,
    source,
  );
  installation.write('inbox/a.csv.gpg', readFileSync(target));
  installation.write(
    'recon.config.yaml',
    inboxConfig(openpgpOf('privateKeyFile: ours.asc', 'senderKeyFile: bank.asc')),
  );
  const { code, document } = await installation.json<RunOutcome>('run');
  expect([code, statusesOf(document)]).toEqual([0, ['a.csv loaded']]);
});

test('without the optional package, the message says what to install', async () => {
  await expect(
    loadOpenPgp(() =>
      Promise.reject(
        Object.assign(new Error("Cannot find package 'openpgp' imported from /usr/lib/x.js"), {
          code: 'ERR_MODULE_NOT_FOUND',
        }),
      ),
    ),
  ).rejects.toMatchObject({
    code: 'OPENPGP_MISSING',
    message: 'The package openpgp, which decrypts OpenPGP files, is not installed.',
    advice: expect.stringContaining('npm install openpgp') as string,
  });
});
