import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createInstallation, settlementFile, type Installation } from '../cli/installation.js';
import { startFtpServer } from '../support/ftp-server.js';

/** An FTP server without MLSD, as many are: its listing has no exact times, so each file is asked for. */
async function ftpSource({ directory }: Installation): Promise<string> {
  const rootDirectory = path.join(directory, 'inbox');
  mkdirSync(rootDirectory);
  const server = await startFtpServer({ rootDirectory });
  onTestFinished(() => server.close());
  return `{ name: inbox, protocol: ftp, host: 127.0.0.1, port: ${server.port}, username: merchant, password: secret, allowInsecure: true }`;
}

const localSource = () => Promise.resolve('{ name: inbox, protocol: local, folder: inbox }');

test.each([
  ['a folder', localSource],
  ['an FTP server without exact times', ftpSource],
])('a run sends no statement for each file that stays at its source: %s', async (_what, source) => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', `sources: [${await source(installation)}]\n`);
  const write = (from: number, count: number) => {
    for (let file = from; file < from + count; file += 1)
      installation.write(`inbox/settlement-${100 + file}.csv`, settlementFile(file));
  };
  /** How many statements a run that finds nothing new sends about what is at its source. */
  const idleRun = async () => {
    const { code, stderr } = await installation.recon('run', '--log-level', 'trace');
    expect(code).toBe(0);
    return stderr.match(/"statement":"[^"]*(remote|packed)_files/g)?.length ?? 0;
  };
  write(1, 2);
  await installation.recon('run');
  const withTwo = await idleRun();
  write(3, 20);
  await installation.recon('run');
  expect(withTwo).toBeGreaterThan(0);
  expect(await idleRun()).toBe(withTwo);
});
