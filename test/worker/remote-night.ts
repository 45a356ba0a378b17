import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createInstallation, filesBelow, type Installation } from '../cli/installation.js';
import { row, seenOf } from '../run/overlapping-files.js';
import { fileOfRows } from '../support/settlement-rows.js';
import { startSftpServer } from '../support/sftp-server.js';
import { startTcpProxy, type ProxyFault } from '../support/tcp-proxy.js';

/** How the run is to fetch it. */
export interface RemoteNight {
  readonly files?: number;
  readonly downloadsAtOnce?: number;
  readonly faultOf?: (connection: number) => ProxyFault | undefined;
}

export interface RemoteInstallation extends Installation {
  /** Connections to the server so far. */
  readonly sessions: () => number;
  /** The configuration, for a worker that has another one. */
  readonly configuration: string;
}

/** A night on an SFTP server: files that share rows, one with totals, one damaged, one twice. Files are moved when done. */
export async function nightOverSftp({
  files = 14,
  downloadsAtOnce = 4,
  faultOf = () => undefined,
}: RemoteNight = {}): Promise<RemoteInstallation> {
  const installation = await createInstallation();
  const { directory } = installation;
  const server = await startSftpServer(path.join(directory, 'outgoing'));
  const proxy = await startTcpProxy(server.port, faultOf);
  onTestFinished(async () => {
    await proxy.close();
    await server.close();
  });
  for (let at = 0; at < files; at += 1) {
    const first = (at === 6 ? 5 : at) * 25;
    const rows = Array.from({ length: at === 1 ? 700 : 40 }, (_, line) => row(first + line));
    const content = fileOfRows(rows);
    const name = `night-${String(at).padStart(2, '0')}.csv`;
    installation.write(`outgoing/${name}`, at === 4 ? content.replace('Amount;', 'Amounts;') : content);
    if (at === 3) installation.write(`outgoing/${name}.totals`, `Records;${rows.length}\n`);
  }
  installation.write('outgoing/done/.keep', '');
  const configuration = `intake: { filesAtOnce: 1 }
worker: { filesAtOnce: 1, leaseSeconds: 1, graceSeconds: 0 }
sources:
  - { name: acquirer, protocol: sftp, host: 127.0.0.1, port: ${proxy.port}, username: merchant, password: secret,
      folder: /, hostKeys: ['${server.hostKeyFingerprint}'], downloadsAtOnce: ${downloadsAtOnce},
      totals: { sidecar: '{name}.totals', required: false },
      afterSuccess: { action: move, folder: /done } }
`;
  installation.write('recon.config.yaml', configuration);
  return { ...installation, sessions: proxy.connections, configuration };
}

/** All that a run over SFTP leaves: tables, reports, the archive, and what is on the server. */
export async function leftBy(installation: RemoteInstallation) {
  const { directory, dataDirectory, database } = installation;
  const { sql } = database.database;
  return {
    ...(await seenOf(installation)),
    archive: filesBelow(path.join(dataDirectory, 'archive')),
    incoming: filesBelow(path.join(dataDirectory, 'incoming')),
    outgoing: filesBelow(path.join(directory, 'outgoing')),
    downloads: await sql`select place from file_downloads`,
  };
}
