import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createInstallation, filesBelow, type Installation } from '../cli/installation.js';
import { row, seenOf } from '../run/overlapping-files.js';
import { startFtpServer } from '../support/ftp-server.js';
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

/**
 * A night on an SFTP server: files that share rows, one with totals, one damaged, one twice. Files are moved when done.
 */
export async function nightOverSftp({
  faultOf = () => undefined,
  ...night
}: RemoteNight = {}): Promise<RemoteInstallation> {
  const installation = await createInstallation();
  const server = await startSftpServer(path.join(installation.directory, 'outgoing'));
  const proxy = await startTcpProxy(server.port, faultOf);
  onTestFinished(async () => {
    await proxy.close();
    await server.close();
  });
  const address = `protocol: sftp, port: ${proxy.port}, hostKeys: ['${server.hostKeyFingerprint}']`;
  return {
    ...installation,
    sessions: proxy.connections,
    configuration: putNight(installation, address, night),
  };
}

/** The same night on an FTP server, or on one with explicit TLS. */
export async function nightOverFtp(
  protocol: 'ftp' | 'ftps',
  night: Omit<RemoteNight, 'faultOf'> = {},
): Promise<Installation> {
  const installation = await createInstallation();
  const rootDirectory = path.join(installation.directory, 'outgoing');
  const server = await startFtpServer({ rootDirectory, ...(protocol === 'ftps' ? { tls: 'explicit' } : {}) });
  onTestFinished(() => server.close());
  installation.write('authority.pem', server.certificate);
  const trust = protocol === 'ftps' ? 'tls: explicit, caFile: authority.pem' : 'allowInsecure: true';
  putNight(installation, `protocol: ${protocol}, port: ${server.port}, ${trust}`, night);
  return installation;
}

/** Puts the files on the server, and writes the configuration. Returns it. */
function putNight(
  installation: Installation,
  address: string,
  { files = 14, downloadsAtOnce = 4 }: Omit<RemoteNight, 'faultOf'>,
): string {
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
  - { name: acquirer, ${address}, host: 127.0.0.1, username: merchant, password: secret,
      folder: /, downloadsAtOnce: ${downloadsAtOnce},
      totals: { sidecar: '{name}.totals', required: false },
      afterSuccess: { action: move, folder: /done } }
`;
  installation.write('recon.config.yaml', configuration);
  return configuration;
}

/** All that a run over the network leaves: tables, reports, the archive, and what is on the server. */
export async function leftBy(installation: Installation) {
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
