import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { paymentId, settlementFile } from '../cli/installation.js';
import { binFolder, deployFile } from '../deploy/deploy-files.js';
import { holdEmbeddedServer } from '../../src/db/embedded/embedded-server.js';
import { needs } from '../support/needs.js';
import { startSshd } from '../support/real-servers.js';
import { folderForThisTest } from '../support/test-folder.js';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/first-run.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}));
const blockOf = (wanted: string) => blocks.find(({ language }) => language === wanted)?.text ?? '';
const commands = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.trimEnd().split('\n'));

/** What each command must print. */
const prints: Readonly<Record<string, RegExp>> = {
  'recon --version': /^\d+\.\d+\.\d+$/m,
  'recon init': /^Wrote .*recon\.config\.yaml/m,
  'recon doctor --show-host-key acquirer': /SHA256:/,
  'recon doctor': /^(ok +.*\n)+/,
  'recon payments import payments.csv --dry-run': /1 payment read: 1 new/,
  'recon payments import payments.csv': /1 payment read: 1 new/,
  'recon run --dry-run': /settlement-2026-11-19\.csv/,
  'recon run': /1 matched[^]*page\.html/,
  'recon items': /^Nothing is open\.$/m,
  'recon runs': /completed/,
};

const need = needs.openSsh();
test.skipIf(!need.isMet)(
  'every command of the page works, from the installed program to the run of the next morning',
  { ...need.orSkipped, timeout: 300_000 },
  async () => {
    const home = folderForThisTest();
    const served = path.join(home, 'server');
    mkdirSync(path.join(served, 'outgoing'), { recursive: true });
    const server = await startSshd(served);
    onTestFinished(() => server.close());
    const deliver = (name: string, text: string) => {
      const file = path.join(served, 'outgoing', name);
      writeFileSync(file, text);
      const anHourAgo = Date.now() / 1000 - 3600;
      utimesSync(file, anHourAgo, anHourAgo);
    };
    deliver('settlement-2026-11-19.csv', settlementFile({ UniqueID: paymentId(1), Amount: '92.00' }));
    const PATH = `${binFolder(home)}:${process.env['PATH'] ?? ''}`;
    const folder = path.join(home, 'reconciliation');
    const sh = (command: string, cwd: string, env: Record<string, string> = {}) => {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
        cwd,
        env: { PATH, HOME: home, ...env },
        encoding: 'utf8',
      });
      return { command, status, output: stdout + stderr };
    };
    const config = path.join(folder, 'recon.config.yaml');
    const change = (edit: (text: string) => string) => {
      writeFileSync(config, edit(readFileSync(config, 'utf8')));
    };
    /** What a person does between two commands. */
    const after: Readonly<Record<string, (output: string) => void | Promise<void>>> = {
      [`ssh-keygen -q -t ed25519 -N '' -f acquirer_key`]: () => {
        appendFileSync(
          path.join(served, 'authorized_keys'),
          readFileSync(path.join(folder, 'acquirer_key.pub')),
        );
        const source = blockOf('yaml')
          .replace('sftp.acquirer.example', '127.0.0.1')
          .replace('port: 22', `port: ${server.port}`)
          .replace('username: merchant', `username: ${server.username}`)
          .replace('/outgoing', path.join(served, 'outgoing'));
        change((text) => text.slice(0, text.search(/^sources:/m)) + source);
        writeFileSync(path.join(folder, 'payments.csv'), blockOf('csv'));
      },
      'recon init': async () => {
        // Otherwise each command starts the embedded server and stops it again, which takes some seconds.
        const held = await holdEmbeddedServer(path.join(folder, 'recon-data'));
        onTestFinished(() => held.release());
      },
      'recon doctor --show-host-key acquirer': (output) => {
        expect(output).toContain(server.hostKeyFingerprint);
        change((text) => `${text}    hostKeys: ['${server.hostKeyFingerprint}']\n`);
        expect(page).toContain("    hostKeys: ['SHA256:…']\n");
      },
    };
    for (const command of commands) {
      if (command.startsWith('npm install')) continue;
      const cwd = command.startsWith('mkdir') ? home : folder;
      const result = sh(command, command === 'recon --version' ? home : cwd);
      expect(result.status, `${command}\n${result.output}`).toBe(0);
      if (command.startsWith('recon')) expect(result.output).toMatch(prints[command] ?? /(?!)/);
      await after[command]?.(result.output);
    }

    // The job of the next morning, as cron starts it: the home folder is its current folder.
    const job = /^30 5 \* \* \* {2}(.*)$/m.exec(blockOf('cron'))?.[1] ?? '';
    deliver(
      'settlement-2026-11-20.csv',
      settlementFile({ UniqueID: paymentId(2), SettlementDate: '2026-11-20' }),
    );
    expect(sh(job, home, { SHELL: '/bin/sh' })).toMatchObject({ status: 0, output: '' });
    expect(JSON.parse(readFileSync(path.join(folder, 'runs.jsonl'), 'utf8'))).toMatchObject({
      runId: 2,
      exitCode: 0,
      files: [
        { name: 'settlement-2026-11-19.csv', status: 'duplicate' },
        { name: 'settlement-2026-11-20.csv', status: 'loaded' },
      ],
    });
  },
);

test('the package is named as npm pack names it, and the cron line is that of deploy', () => {
  const { name, version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  expect(commands[0]).toBe(`npm install -g ./${name ?? ''}-${version ?? ''}.tgz`);
  const jobOf = (text: string) => /\{ recon run .*$/m.exec(text)?.[0];
  expect(jobOf(blockOf('cron'))).toBe(jobOf(deployFile('cron/recon')));
});
