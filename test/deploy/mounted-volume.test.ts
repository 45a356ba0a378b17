import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { settlementFile } from '../cli/installation.js';
import { runCli } from '../support/cli.js';
import { needs } from '../support/needs.js';
import { ordinaryAccount } from '../support/ordinary-account.js';
import { folderForThisTest } from '../support/test-folder.js';

const account = ordinaryAccount();
const need = needs.account();

test.skipIf(!need.isMet)(
  'an ordinary user runs on a volume as Kubernetes mounts it: owned by root, writable for the group',
  { ...need.orSkipped, timeout: 90_000 },
  async () => {
    if (typeof account === 'string') throw new Error(account);
    const { uid, gid, through } = account;
    const volume = folderForThisTest();
    // What fsGroup does to the root of a volume.
    chownSync(volume, 0, gid);
    chmodSync(volume, 0o2775);
    // What it does to a file of a secret with defaultMode 0400.
    const secrets = path.join(volume, 'secrets');
    mkdirSync(secrets, { mode: 0o755 });
    const key = path.join(secrets, 'key');
    writeFileSync(key, 'KEY\n');
    chownSync(key, 0, gid);
    chmodSync(key, 0o440);
    const file = path.join(volume, 'settlement-1.csv');
    writeFileSync(file, settlementFile(1));
    const config = path.join(volume, 'recon.config.yaml');
    writeFileSync(
      config,
      `sources:\n  - { name: a, protocol: sftp, host: h, username: u, privateKeyFile: ${key}, hostKeys: ['SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'] }\n`,
    );
    const dataDirectory = path.join(volume, 'recon');
    const env = { RECON_DATA_DIR: dataDirectory, RECON_CONFIG: config, HOME: volume };
    // Each job starts the embedded database and stops it at its end.
    for (const runId of [1, 2]) {
      const { code, stdout, stderr } = await runCli(['run', '--file', file, '--json'], {
        env,
        cwd: volume,
        through,
      });
      expect({ code, stderr: stderr.split('\n').filter((line) => line.includes('"level":40')) }).toEqual({
        code: 0,
        stderr: [],
      });
      expect(JSON.parse(stdout)).toMatchObject({
        runId,
        files: [{ status: runId === 1 ? 'loaded' : 'duplicate' }],
      });
    }
    const { uid: owner, mode } = statSync(dataDirectory);
    expect({ owner, mode: (mode & 0o777).toString(8) }).toEqual({ owner: uid, mode: '700' });
    expect(readFileSync(path.join(dataDirectory, 'reports/run-000001/summary.json'), 'utf8')).toContain(
      '"runId": 1',
    );
  },
);
