import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { startLoopbackSftpServer } from '../../src/demo/loopback-sftp-server.js';
import type { RunOutcome } from '../../src/outcome.js';
import { archivePath } from '../support/archive.js';
import { runCli } from '../support/cli.js';
import { startFtpServer } from '../support/ftp-server.js';
import { zipOf } from '../support/zip.js';
import { announcedTotals, inboxConfig, namesIn, packedStatusesOf } from './inbox.js';
import { createInstallation, filesBelow, settlementFile } from './installation.js';

/** Settlement files may come as gzip or ZIP (design 11). They are recognised by their first bytes. */

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

test('a file is known whether it comes plain, as gzip or as ZIP, and the archive keeps all that was received', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig('afterSuccess: { action: delete }'));
  const [plain, other, third] = [settlementFile(1), settlementFile(2), settlementFile(3)];
  const gz = gzipSync(plain);
  const zip = zipOf({ 'b.csv': other, 'c.csv': third });
  installation.write('inbox/a.csv.gz', gz);
  installation.write('inbox/both.zip', zip);

  const first = await installation.json<RunOutcome>('run');
  expect([first.code, packedStatusesOf(first.document)]).toEqual([
    0,
    ['a.csv in a.csv.gz loaded', 'b.csv in both.zip loaded', 'c.csv in both.zip loaded'],
  ]);
  expect(first.document.files.map((file) => file.sha256)).toEqual(
    [plain, other, third].map((text) => sha256(text)),
  );
  for (const bytes of [gz, zip, Buffer.from(plain), Buffer.from(other)]) {
    expect(filesBelow(path.dirname(archivePath(installation.dataDirectory, sha256(bytes))))).toHaveProperty([
      sha256(bytes),
    ]);
  }
  expect(namesIn(installation)).toEqual([]);
  const reconciled = first.document.reports?.reconciled.map((file) => path.basename(file));
  expect(reconciled).toEqual(['a.csv', 'b.csv', 'c.csv']);

  // The same content plain, packed differently, and under another name.
  installation.write('inbox/a.csv', plain);
  installation.write('inbox/again.csv.gz', gzipSync(plain, { level: 1 }));
  installation.write('inbox/c.zip', zipOf({ 'c.csv.gz': gzipSync(third), 'd.csv': settlementFile(4) }));
  const second = await installation.json<RunOutcome>('run');
  expect([second.code, packedStatusesOf(second.document)]).toEqual([
    0,
    [
      'a.csv duplicate',
      'again.csv in again.csv.gz duplicate',
      'c.csv in c.zip duplicate',
      'd.csv in c.zip loaded',
    ],
  ]);
  const doctor = await installation.recon('doctor', '--reports');
  expect(doctor.stdout).toMatch(/archive: 8 files, all unchanged/);
});

test('over SFTP and FTP: a packed file is moved with its totals, and a listing alone identifies it the next time', async () => {
  const installation = await createInstallation();
  const rootDirectory = path.join(installation.directory, 'server');
  mkdirSync(path.join(rootDirectory, 'outgoing/done'), { recursive: true });
  const sftp = await startLoopbackSftpServer({ rootDirectory, username: 'merchant', password: 'x' });
  onTestFinished(() => sftp.close());
  const ftpRoot = path.join(installation.directory, 'ftp');
  mkdirSync(ftpRoot);
  const ftp = await startFtpServer({ rootDirectory: ftpRoot, password: 'x' });
  onTestFinished(() => ftp.close());
  installation.write(
    'recon.config.yaml',
    `sources:
  - name: acquirer
    protocol: sftp
    host: 127.0.0.1
    port: ${sftp.port}
    username: merchant
    password: x
    hostKeys: ['${sftp.hostKeyFingerprint}']
    folder: /outgoing
    filePattern: '*.csv*'
    afterSuccess: { action: move, folder: /outgoing/done }
    totals: { sidecar: '{name}.totals' }
  - name: wallet
    protocol: ftp
    host: 127.0.0.1
    port: ${ftp.port}
    username: merchant
    password: x
    allowInsecure: true
    filePattern: '*'
`,
  );
  // One with the totals of the packed name, one with those of the name inside.
  installation.write('server/outgoing/a.csv.gz', gzipSync(settlementFile(1, 2)));
  installation.write('server/outgoing/a.csv.gz.totals', announcedTotals(2, 'EUR;200.00'));
  installation.write('server/outgoing/b.csv.gz', gzipSync(settlementFile(3)));
  installation.write('server/outgoing/b.csv.totals', announcedTotals(2, 'EUR;200.00'));
  installation.write('ftp/c.zip', zipOf({ 'c.csv': settlementFile(5) }));

  const first = await installation.json<RunOutcome>('run');
  expect([first.code, packedStatusesOf(first.document)]).toEqual([
    1,
    ['a.csv in a.csv.gz loaded', 'b.csv in b.csv.gz rejected FILE_TOTALS_DIFFER', 'c.csv in c.zip loaded'],
  ]);
  expect(namesIn(installation, 'server/outgoing')).toEqual(['b.csv.gz', 'b.csv.totals', 'done']);
  expect(namesIn(installation, 'server/outgoing/done')).toEqual(['a.csv.gz', 'a.csv.gz.totals']);

  // The file that differed is compared again; the other is known by its size and time.
  installation.write('server/outgoing/b.csv.totals', announcedTotals(1, 'EUR;100.00'));
  const second = await installation.json<RunOutcome>('run');
  expect([second.code, packedStatusesOf(second.document)]).toEqual([
    0,
    ['b.csv in b.csv.gz loaded', 'c.zip duplicate'],
  ]);
});

test('a ZIP archive may contain the totals of its files', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig("totals: { sidecar: '{base}.ctl' }"));
  const [a, b] = [settlementFile(1), settlementFile(2)];
  installation.write('inbox/a.zip', zipOf({ 'a.csv': a, 'a.ctl': announcedTotals(1, 'EUR;100.00') }));
  installation.write('inbox/b.zip', zipOf({ 'b.csv': b, 'b.ctl': announcedTotals(9, 'EUR;100.00') }));
  installation.write('inbox/c.zip', zipOf({ 'c.csv': settlementFile(3) }));
  installation.write('inbox/d.zip', zipOf({ 'd.csv': settlementFile(4), 'e.csv': settlementFile(5) }));
  installation.write('inbox/d.ctl', announcedTotals(2, 'EUR;200.00'));
  const { code, document } = await installation.json<RunOutcome>('run');
  expect([code, packedStatusesOf(document)]).toEqual([
    4,
    [
      'a.csv in a.zip loaded',
      'b.csv in b.zip rejected FILE_TOTALS_DIFFER',
      'c.zip deferred FILE_TOTALS_MISSING',
      'd.zip failed FILE_TOTALS_INVALID',
    ],
  ]);
});

test('a damaged file keeps its reason if the run dies once the file has its row', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig());
  installation.write('inbox/a.csv.gz', gzipSync(settlementFile(1)).subarray(0, -6));
  const environment = { ...installation.environment, RECON_FAIL_AT: 'register.after' };
  const killed = await runCli(['run'], { env: environment, cwd: installation.directory });
  expect(killed.signal).toBe('SIGKILL');
  const { code, document } = await installation.json<RunOutcome>('run');
  expect([code, packedStatusesOf(document)]).toEqual([1, ['a.csv.gz rejected FILE_PACKED_DAMAGED']]);
});

test('a run that takes over what a dead one loaded or received names the packed files too', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig());
  installation.write('inbox/a.csv.gz', gzipSync(settlementFile(1)));
  installation.write('inbox/b.csv', settlementFile(2));
  installation.write('inbox/c.zip', zipOf({ 'c.csv': settlementFile(3), 'd.csv': 'no header\n' }));
  // All are registered, and only the first is loaded.
  for (const failAt of ['register.after:3', 'load.commit.after']) {
    const env = { ...installation.environment, RECON_FAIL_AT: failAt };
    expect((await runCli(['run'], { env, cwd: installation.directory })).signal).toBe('SIGKILL');
  }
  const { document } = await installation.json<RunOutcome>('run');
  expect(packedStatusesOf(document)).toEqual([
    'a.csv in a.csv.gz loaded',
    'b.csv loaded',
    'c.csv in c.zip loaded',
    'd.csv in c.zip rejected FILE_HEADER',
  ]);
});

test('announced totals that are packed without their settlement file are rejected, and stay at the source', async () => {
  const installation = await createInstallation();
  installation.write(
    'recon.config.yaml',
    inboxConfig("totals: { sidecar: '{base}.ctl', required: false }", 'afterSuccess: { action: delete }'),
  );
  const totals = announcedTotals(1, 'EUR;100.00');
  installation.write('inbox/a.zip', zipOf({ 'a.ctl': totals, 'b.ctl': totals }));
  installation.write('inbox/c.ctl.gz', gzipSync(totals));
  const { code, document } = await installation.json<RunOutcome>('run');
  expect([code, packedStatusesOf(document)]).toEqual([
    1,
    ['a.zip rejected FILE_PACKED_ENTRIES', 'c.ctl.gz rejected FILE_PACKED_ENTRIES'],
  ]);
  expect(document.files[0]?.error?.message).toBe(
    'a.zip contains announced totals (a.ctl and 1 more), and not the settlement file. Nothing of it was loaded.',
  );
  expect(namesIn(installation)).toEqual(['a.zip', 'c.ctl.gz']);
});

test('the same bytes under two names in one ZIP archive are stored once', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig('afterSuccess: { action: delete }'));
  const text = settlementFile(1, 2);
  installation.write('inbox/both.zip', zipOf({ 'a.csv': text, 'b.csv': text, 'c.csv.gz': gzipSync(text) }));
  installation.write('inbox/wrong.zip', zipOf({ 'x.csv': 'wrong\n', 'y.csv': 'wrong\n' }));

  const { code, document } = await installation.json<RunOutcome>('run');
  expect([code, packedStatusesOf(document)]).toEqual([
    1,
    [
      'a.csv in both.zip loaded',
      'b.csv in both.zip duplicate',
      'c.csv in both.zip duplicate',
      'x.csv in wrong.zip rejected FILE_HEADER',
      'y.csv in wrong.zip duplicate',
    ],
  ]);
  expect(document.files[0]?.rows).toEqual({ total: 2, accepted: 2, rejected: 0, alreadyKnown: 0 });
  expect(document.files[4]?.note).toMatch(/rejected before \(FILE_HEADER\)/);
  // What was rejected stays until somebody corrects it.
  expect(namesIn(installation)).toEqual(['wrong.zip']);
});

test('a re-run names the packed file of what it tries again, as the run that received it did', async () => {
  const installation = await createInstallation();
  const configure = (more: string) => installation.write('recon.config.yaml', inboxConfig(more));
  configure('maxRejectedShare: 0.1');
  installation.write('inbox/a.csv.gz', gzipSync('wrong\n'));
  installation.write('inbox/b.zip', zipOf({ 'b.csv': settlementFile(1, { Amount: 'x' }) }));
  installation.write('inbox/c.csv', settlementFile(2, { Amount: 'x' }));
  const run = await installation.json<RunOutcome>('run');
  expect(packedStatusesOf(run.document)).toEqual([
    'a.csv in a.csv.gz rejected FILE_HEADER',
    'b.csv in b.zip rejected FILE_TOO_MANY_REJECTED',
    'c.csv rejected FILE_TOO_MANY_REJECTED',
  ]);
  configure('');
  const rerun = await installation.json<RunOutcome>('rerun', '--from', '2026-01-01', '--to', '2036-12-31');
  expect([rerun.code, packedStatusesOf(rerun.document)]).toEqual([
    1,
    ['a.csv in a.csv.gz rejected FILE_HEADER', 'b.csv in b.zip loaded', 'c.csv loaded'],
  ]);
});

test('hostile and damaged archives are refused with their reason, and nothing of them is loaded', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig('unpack: { maximumRatio: 20, maximumFiles: 3 }'));
  const text = settlementFile(1);
  const gz = gzipSync(text);
  const flipped = Buffer.from(gz);
  flipped[gz.length - 8] = (flipped[gz.length - 8] ?? 0) ^ 1;
  const zip = zipOf({ 'a.csv': text });
  const badSum = Buffer.from(zip);
  const directory = badSum.lastIndexOf('PK\u0001\u0002', undefined, 'latin1');
  badSum[directory + 16] = (badSum[directory + 16] ?? 0) ^ 1;
  const hostile: Record<string, [bytes: Buffer, code: string, message: RegExp]> = {
    '01-cut.gz': [gz.subarray(0, gz.length - 9), 'FILE_PACKED_DAMAGED', /unexpected end of file/],
    '02-checksum.gz': [flipped, 'FILE_PACKED_DAMAGED', /incorrect data check/],
    '03-cut.zip': [zip.subarray(0, zip.length - 9), 'FILE_PACKED_DAMAGED', /is damaged or incomplete/],
    '04-checksum.zip': [badSum, 'FILE_PACKED_DAMAGED', /checksum of a\.csv/],
    '05-path.zip': [
      zipOf({ '../../etc/a.csv': text }),
      'FILE_PACKED_ENTRIES',
      /: \.\.\/\.\.\/etc\/a\.csv is a path/,
    ],
    '06-absolute.zip': [zipOf({ '/etc/a.csv': text }), 'FILE_PACKED_ENTRIES', /is a path/],
    '07-drive.zip': [zipOf({ 'C:\\a.csv': text }), 'FILE_PACKED_ENTRIES', /is a path/],
    '08-folder.zip': [zipOf({ 'x/': '', 'a.csv': text }), 'FILE_PACKED_ENTRIES', /: x\/ is a folder/],
    '09-link.zip': [
      zipOf({ 'a.csv': '/etc/passwd' }, { mode: 0o120777 }),
      'FILE_PACKED_ENTRIES',
      /is a link/,
    ],
    '10-twice.zip': [zipOf({ 'a.csv': text, 'A.csv': text }), 'FILE_PACKED_ENTRIES', /contains A\.csv twice/],
    '11-name.zip': [zipOf({ 'a\u202evsc.csv': text }), 'FILE_PACKED_ENTRIES', /unsafe characters/],
    '12-empty.zip': [zipOf({}), 'FILE_PACKED_ENTRIES', /contains no file/],
    '13-password.zip': [zipOf({ 'a.csv': text }, { flags: 1 }), 'FILE_PACKED_PASSWORD', /password/],
    '14-many.zip': [
      zipOf({ 'a.csv': 'a', 'b.csv': 'b', 'c.csv': 'c', 'd.csv': 'd' }),
      'FILE_PACKED_TOO_LARGE',
      /contains 4 files/,
    ],
    '15-bomb.gz': [gzipSync(Buffer.alloc(20 * 1024 ** 2)), 'FILE_PACKED_TOO_LARGE', /more than 20 times/],
    '16-nested.gz': [
      gzipSync(gzipSync(gzipSync(gzipSync(text)))),
      'FILE_PACKED_ENTRIES',
      /more than 3 times/,
    ],
    // Only padding may follow the zeros after a part: a further part there would be lost.
    '17-padded.gz': [
      Buffer.concat([gz, Buffer.alloc(512), gzipSync(settlementFile(2))]),
      'FILE_PACKED_DAMAGED',
      /something follows the zeros after its end/,
    ],
    // Another program can unpack it, so it is not damaged.
    '18-lzma.zip': [
      zipOf({ 'a.csv': text }, { method: 14 }),
      'FILE_PACKED_ENTRIES',
      /a\.csv is compressed with method 14, and recon can unpack only Deflate/,
    ],
  };
  for (const [name, [bytes]] of Object.entries(hostile)) installation.write(`inbox/${name}`, bytes);

  const { code, document } = await installation.json<RunOutcome>('run');
  expect(code).toBe(4);
  expect(document.files.map(({ name, error }) => [name, error?.code])).toEqual(
    Object.entries(hostile).map(([name, [, expected]]) => [name, expected]),
  );
  for (const { name, error } of document.files) expect(error?.message).toMatch(hostile[name]?.[2] ?? /never/);
  expect(namesIn(installation)).toEqual(Object.keys(hostile));
  expect(filesBelow(path.join(installation.dataDirectory, 'incoming'))).toEqual({});

  // What was rejected stays in the archive; what is too large is looked at again once the limit is raised.
  installation.write('recon.config.yaml', inboxConfig('unpack: { maximumRatio: 1100, maximumFiles: 4 }'));
  const second = await installation.json<RunOutcome>('run');
  expect(packedStatusesOf(second.document)).toEqual([
    ...Object.entries(hostile)
      .flatMap(([name, [, expected]]) => (expected === 'FILE_PACKED_TOO_LARGE' ? [] : [`${name} duplicate`]))
      .slice(0, 13),
    ...['a', 'b', 'c', 'd'].map((name) => `${name}.csv in 14-many.zip rejected FILE_HEADER`),
    '15-bomb in 15-bomb.gz rejected FILE_RECORD_TOO_LONG',
    '16-nested.gz duplicate',
    '17-padded.gz duplicate',
    '18-lzma.zip duplicate',
  ]);
  const rerun = await installation.json<RunOutcome>('rerun', '--from', '2026-01-01', '--to', '2036-12-31');
  expect(packedStatusesOf(rerun.document).join()).not.toContain('FILE_PACKED');
});
