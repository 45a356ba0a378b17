import { readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { onDisk } from '../disk/disk-errors.js';
import { namesIn } from '../disk/unless-missing.js';
import { createFile, makeFolder } from '../disk/private-files.js';
import { importPayments } from '../payment-file/import-payments.js';
import { ReconError } from '../errors.js';
import { packageFile } from '../package-files.js';
import type { SftpSource } from '../remote/source-settings.js';
import { sourceDefaults } from '../remote/source-settings.js';
import type { RunOutcome } from '../outcome.js';
import { runReconciliation } from '../run/run-reconciliation.js';
import type { RunContext } from '../run/run-context.js';
import { startLoopbackSftpServer } from './loopback-sftp-server.js';

/** The days of the sample data, so that every demo prints the same. */
const asOf = '2026-11-20';
const marker = '.recon-demo';

const samples = packageFile('fixtures/demo');

/**
 * Empties the demo's folder, so that each demo starts with an empty one. A folder that the demo did not create is not
 * changed.
 *
 * @throws ReconError DISK_FAILED when the folder contains anything else.
 */
export async function clearDemoDirectory(dataDirectory: string): Promise<void> {
  const entries = await onDisk(`read ${dataDirectory}`, () => namesIn(dataDirectory));
  if (entries.length > 0 && !entries.includes(marker)) {
    throw new ReconError(
      'DISK_FAILED',
      `${dataDirectory} is not a demo folder and is not empty; the demo did not change it.`,
    );
  }
  await onDisk(`${entries.length === 0 ? 'create' : 'empty'} ${dataDirectory}`, async () => {
    await rm(dataDirectory, { recursive: true, force: true });
    await makeFolder(dataDirectory, { owner: 'account' });
    await write(
      path.join(dataDirectory, marker),
      'Created by `recon demo`, which empties this folder each time.\n',
    );
  });
}

/**
 * Copies the samples so that only the account of the demo can read them; their original modes depend on how the package
 * was installed.
 */
async function copySamples(target: string): Promise<void> {
  const inbound = path.join(samples, 'inbound');
  await makeFolder(target);
  for (const name of await readdir(inbound)) {
    await write(path.join(target, name), await readFile(path.join(inbound, name)));
  }
}

async function write(file: string, content: string | Buffer): Promise<void> {
  const handle = await createFile(file);
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
}

/**
 * The main job on sample data (design 5): payments are stored through the payment core, a real SFTP server on loopback
 * serves the settlement files of three nights, and an ordinary run fetches, matches and reports.
 */
export async function runDemo(
  context: Omit<RunContext, 'sources'>,
  print: (line: string) => void,
): Promise<RunOutcome> {
  const remote = path.join(context.dataDirectory, 'acquirer-server');
  await onDisk(`copy the samples to ${remote}`, () => copySamples(remote));
  const stored = await importPayments(context.database.sql, path.join(samples, 'payments.csv'));
  print(`Stored ${stored.inserted} sample payments.`);

  const password = 'demo-password-of-a-loopback-server';
  const server = await startLoopbackSftpServer({ rootDirectory: remote, username: 'demo', password });
  try {
    print(
      `An SFTP server on 127.0.0.1:${server.port} serves ${(await readdir(remote)).length} settlement files.`,
    );
    const source: SftpSource = {
      ...sourceDefaults,
      name: 'acquirer',
      protocol: 'sftp',
      host: '127.0.0.1',
      port: server.port,
      username: 'demo',
      password,
      privateKey: null,
      passphrase: null,
      hostKeys: [server.hostKeyFingerprint],
      knownHostsFile: null,
      allowSha1HostKeys: false,
      folder: '/',
      filePattern: 'settlement-*.csv',
      minimumAgeSeconds: 0,
    };
    print('Running the reconciliation: fetch, validate, match, report.\n');
    return await runReconciliation(
      { ...context, sources: [source] },
      { sources: null, files: [], asOf, dryRun: false },
    );
  } finally {
    await server.close();
  }
}
