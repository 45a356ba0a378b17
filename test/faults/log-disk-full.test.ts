import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { startCli, watchCli } from '../support/cli.js';
import { databaseForAllTests } from '../support/database.js';
import { needs } from '../support/needs.js';
import { folderForThisTest } from '../support/test-folder.js';

const tmpfs = needs.tmpfs();
const testDatabase = databaseForAllTests();

/*
 * The disk of the log becomes full in the middle of a line, and has room again later. What the file has of this line is
 * lost; every other line must be whole, however many bytes of the cut one fitted.
 */
test.runIf(tmpfs.isMet)(
  'F88 the disk of the log was full: the lines after that are whole',
  tmpfs.orSkipped,
  async () => {
    const directory = folderForThisTest();
    const [disk, data] = [path.join(directory, 'disk'), path.join(directory, 'data')];
    mkdirSync(disk);
    const [log, filler] = [path.join(disk, 'recon.log'), path.join(disk, 'filler')];
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status).toBe(0);
    const child = startCli(['serve', '--port', '0', '--json'], {
      env: { RECON_DATABASE_URL: testDatabase.url, RECON_DATA_DIR: data },
      cwd: directory,
      through: ['sh', '-c', `exec "$0" "$@" 2>> ${log}`],
    });
    const serve = watchCli(child);
    let said = '';
    child.stdout.on('data', (text: string) => (said += text));
    try {
      const { url } = JSON.parse(await vi.waitUntil(() => said.includes('\n') && said, 20_000)) as {
        url: string;
      };
      // Each request is a line of about 200 bytes: two pages hold 40 of them, the last one in part.
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(filler, Buffer.alloc((bavail - 1) * bsize));
      for (let count = 0; count < 60; count += 1) await fetch(`${url}/livez`);
      expect(statfsSync(disk).bavail).toBe(0);
      rmSync(filler);
      for (let count = 0; count < 3; count += 1) await fetch(`${url}/v1/resultcodes`);
      serve.kill('SIGTERM');
      // The log could not be written for a while: exit code 6 says so.
      expect((await serve.ended).code).toBe(6);
      const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
      const broken = lines.filter((line) => !isJson(line) && !line.startsWith('recon: '));
      expect(broken.map((line) => line.slice(0, 9))).toEqual(['{"level":']);
      expect(lines.filter((line) => isJson(line) && line.includes('/v1/resultcodes'))).toHaveLength(3);
      expect(lines).not.toContain('');
    } finally {
      serve.kill('SIGKILL');
      await serve.ended.catch(() => undefined);
      spawnSync('umount', ['-l', disk]);
    }
  },
);

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
