import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fingerprintOfHostKey, newHostKey } from '../../src/demo/loopback-sftp-server.js';
import type { SourceSettings } from '../../src/remote/source-settings.js';
import { repetitions, reportCounts } from '../support/campaign.js';
import { FetchWorld, failureOf } from '../support/fetch-world.js';
import { startScriptedFtpServer } from '../support/scripted-ftp-server.js';
import { STATUS_CODE, onRequest, startSftpServer } from '../support/sftp-server.js';

/*
 * F18 with the cap as it is by default: a folder of a million names fails as a whole, nothing of it is fetched, and
 * neither side of the connection fills the memory. The servers are in this process, so the bound holds for both.
 */
const names = repetitions(1_000_000);
const perAnswer = 1000;
const megabyte = 1024 * 1024;

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

async function refuse(
  what: string,
  source: SourceSettings,
  count: number,
  listed: () => number,
): Promise<void> {
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const error = await failureOf(world.fetchAll(source));
  clearInterval(timer);
  expect(error).toMatchObject({ code: 'SOURCE_LISTING', exitCode: 4 });
  expect(world.archived()).toEqual([]);
  reportCounts(`F18 ${what}`, {
    'names in the folder': count,
    'names listed': listed(),
    'MB more at most': Math.round((peak - before) / megabyte),
  });
  expect(peak - before).toBeLessThan(150 * megabyte);
}

test('F18 a million names over SFTP', async () => {
  const hostKey = newHostKey();
  let listed = 0;
  const server = await startSftpServer(world.remote, {
    hostKeys: [hostKey],
    intercept: onRequest({ kind: 'READDIR', path: '/' }, ({ sftp, id }) => {
      if (listed >= names) {
        sftp.status(id, STATUS_CODE.EOF);
        return true;
      }
      const entries = Array.from({ length: perAnswer }, () => {
        listed += 1;
        const attrs = { mode: 0o100644, size: 1, mtime: 1_700_000_000, atime: 0, uid: 0, gid: 0 };
        return { filename: `${listed}.csv`, longname: '', attrs };
      });
      sftp.name(id, entries);
      return true;
    }),
  });
  world.closing(server);
  const source = world.sftp(
    { port: server.port, hostKeyFingerprint: fingerprintOfHostKey(hostKey) },
    { fileTimeoutMs: 120_000 },
  );
  await refuse('SFTP', source, names, () => listed);
});

test('F18 a million names over FTP', async () => {
  let listed = 0;
  const listing = function* () {
    while (listed < names) {
      let lines = '';
      for (let line = 0; line < perAnswer; line += 1) {
        listed += 1;
        lines += `-rw-r--r-- 1 a a 1 Jan 1 2026 ${listed}.csv\r\n`;
      }
      yield lines;
    }
  };
  const server = world.closing(await startScriptedFtpServer({ files: {}, features: [], listing }));
  const source = world.ftp(server, { stallTimeoutMs: 30_000, fileTimeoutMs: 120_000, attempts: 1 });
  await refuse('FTP', source, names, () => listed);
});

test('F18 more names than the cap in a folder of this machine', async () => {
  const count = Math.min(names, 120_000);
  for (let file = 0; file < count; file += 1) writeFileSync(path.join(world.remote, `${file}.csv`), '');
  const source = world.local({ maximumEntries: Math.min(100_000, count - 1) });
  await refuse('local', source, count, () => count);
});
