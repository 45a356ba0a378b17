import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createInstallation, filesBelow } from '../cli/installation.js';
import { startSftpServer } from '../support/sftp-server.js';
import { startTcpProxy, type ProxyFault } from '../support/tcp-proxy.js';
import { fileOfRows } from '../support/settlement-rows.js';
import { row, seenOf } from './overlapping-files.js';

/** Files that share rows, one of them damaged, one twice: their order decides whose a record is. */
const night = Array.from({ length: 10 }, (_, at) => {
  const first = (at === 6 ? 5 : at) * 25;
  const content = fileOfRows(Array.from({ length: at === 0 ? 900 : 40 }, (_, line) => row(first + line)));
  return [`night-${at}.csv`, at === 4 ? content.replace('Amount;', 'Amounts;') : content] as const;
});

/** All that a run over SFTP leaves, and how many sessions it opened. */
async function runOverSftp(downloadsAtOnce: number, faultOf: (connection: number) => ProxyFault | undefined) {
  const installation = await createInstallation();
  const { directory, dataDirectory } = installation;
  const server = await startSftpServer(path.join(directory, 'outgoing'));
  const proxy = await startTcpProxy(server.port, faultOf);
  onTestFinished(async () => {
    await proxy.close();
    await server.close();
  });
  for (const [name, content] of night) installation.write(`outgoing/${name}`, content);
  installation.write('outgoing/done/.keep', '');
  installation.write(
    'recon.config.yaml',
    `sources:
  - { name: acquirer, protocol: sftp, host: 127.0.0.1, port: ${proxy.port}, username: merchant, password: secret,
      folder: /, hostKeys: ['${server.hostKeyFingerprint}'], downloadsAtOnce: ${downloadsAtOnce},
      afterSuccess: { action: move, folder: /done } }
`,
  );
  const { code, stdout, stderr } = await installation.recon('run', '--as-of', '2026-11-20', '--json');
  expect(code, stderr).toBe(1);
  const seen = {
    outcome: stdout.replaceAll(directory, '.').replace(/"elapsedMs":\d+/g, ''),
    ...(await seenOf(installation)),
    archive: filesBelow(path.join(dataDirectory, 'archive')),
    incoming: filesBelow(path.join(dataDirectory, 'incoming')),
    outgoing: filesBelow(path.join(directory, 'outgoing')),
  };
  return { seen, sessions: proxy.connections() };
}

test('tables, reports, archive and what is left on the server are the same for 1 and 4 downloads at once, also when a connection breaks', async () => {
  const one = await runOverSftp(1, () => undefined);
  expect(one.sessions).toBe(1);
  expect(Object.keys(one.seen.outgoing)).toContain('done/night-9.csv');
  const four = await runOverSftp(4, () => undefined);
  expect(four.sessions).toBeGreaterThan(1);
  expect(four.seen).toEqual(one.seen);
  const broken = await runOverSftp(4, (connection) =>
    connection === 2 ? { kind: 'rst', afterBytes: 9_000 } : undefined,
  );
  expect(broken.seen).toEqual(one.seen);
}, 60_000);
