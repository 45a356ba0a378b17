import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import ssh2 from 'ssh2';
import SftpClient from 'ssh2-sftp-client';
import { ReconError, messageOf, type ErrorCode } from '../../errors.js';
import { showName } from './file-names.js';
import { judgeHostKey } from './known-hosts.js';
import type { Download, RemoteFile, RemoteFolder } from './remote-folder.js';
import type { SftpSource } from './source-settings.js';
import { DeadlineExceeded, watchProgress, withDeadline } from './with-deadline.js';

const noop = () => undefined;

/** Connects and logs in; a host key that is not pinned or known is refused before anything is sent. */
export async function openSftpFolder(source: SftpSource, signal: AbortSignal): Promise<RemoteFolder> {
  const where = `source ${source.name} (sftp ${source.host}:${source.port})`;
  const knownHosts =
    source.knownHostsFile === null ? null : await readKnownHosts(source.knownHostsFile, where);
  let refused: ReconError | undefined;
  // Without these the library writes its own lines to standard output.
  const client = new SftpClient(source.name, { error: noop, end: noop, close: noop });
  let closed = false;
  const connection = client.connect({
    host: source.host,
    port: source.port,
    username: source.username,
    ...(source.password === null ? {} : { password: source.password }),
    ...(source.privateKey === null ? {} : { privateKey: source.privateKey }),
    ...(source.passphrase === null ? {} : { passphrase: source.passphrase }),
    readyTimeout: source.connectTimeoutMs,
    keepaliveInterval: 10_000,
    keepaliveCountMax: 3,
    hostVerifier: (key: Buffer) => {
      refused = judgeKey(source, knownHosts, key, where);
      return refused === undefined;
    },
  });
  try {
    await withDeadline(source.connectTimeoutMs + 1000, signal, connection);
  } catch (thrown) {
    void client.end().catch(noop);
    throw refused ?? connectionError(thrown, where, signal);
  }
  // The raw client under the library: it alone has the socket option (a hundredfold in speed, measured) and
  // tells when the server's side of the session ends.
  const raw = client as unknown as { client: ssh2.Client; sftp: ssh2.SFTPWrapper };
  raw.client.setNoDelay(true);
  // Requests that are pending when a session ends come up as errors of these, after anybody listened.
  raw.client.on('error', noop);
  raw.sftp.on('error', noop);
  const gone = new Promise<never>((_, reject) => {
    const lost = () => {
      closed = true;
      reject(new ReconError('SOURCE_UNREACHABLE', `The connection to ${where} was closed by the server.`));
    };
    raw.client.once('close', lost);
    raw.sftp.once('close', lost);
  });
  gone.catch(noop);
  const ask = async <T>(what: string, code: ErrorCode, work: () => Promise<T>): Promise<T> => {
    try {
      return await withDeadline(source.stallTimeoutMs, signal, Promise.race([work(), gone]));
    } catch (thrown) {
      if (thrown instanceof ReconError) throw thrown;
      if (signal.aborted) throw thrown;
      if (thrown instanceof DeadlineExceeded)
        throw new ReconError('SOURCE_STALLED', `${where} gave ${thrown.message} to ${what}.`, {
          cause: thrown,
        });
      throw new ReconError(code, `${where} could not ${what}: ${plainReason(thrown)}.`, { cause: thrown });
    }
  };
  return {
    list: async () => {
      const entries = await ask(`list ${source.folder}`, 'SOURCE_LISTING', () =>
        listCapped(raw.sftp, source, where),
      );
      return entries;
    },
    stat: (file) => ask(`look at ${showName(file.name)}`, 'FILE_UNREADABLE', () => statFile(raw.sftp, file)),
    download: (file, download) => downloadFile(raw.sftp, source, file, download, { where, gone, signal }),
    settle: (file, afterSuccess) =>
      ask(`move or delete ${showName(file.name)}; its records are stored`, 'SOURCE_LISTING', async () => {
        if (afterSuccess.action === 'delete') await client.delete(file.path);
        if (afterSuccess.action === 'move')
          await client.rename(
            file.path,
            path.posix.join(path.posix.resolve('/', source.folder, afterSuccess.folder), file.name),
          );
      }),
    close: async () => {
      if (closed) return;
      await withDeadline(5_000, undefined, client.end()).catch(() => raw.client.destroy());
    },
  };
}

async function readKnownHosts(file: string, where: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new ReconError('SOURCE_HOST_KEY', `The known_hosts file ${file} of ${where} cannot be read.`, {
      cause: thrown,
    });
  }
}

/** Why the offered key is not accepted; undefined when it is. */
function judgeKey(
  source: SftpSource,
  knownHosts: string | null,
  key: Buffer,
  where: string,
): ReconError | undefined {
  const offered = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
  const refuse = (why: string) =>
    new ReconError(
      'SOURCE_HOST_KEY',
      `${where} offers the host key ${offered}, ${why}; nothing was sent to it.`,
    );
  if (source.hostKeys.some((pinned) => pinned.replace(/=+$/, '') === offered)) return undefined;
  if (knownHosts === null) {
    return refuse(
      source.hostKeys.length === 0
        ? 'and no host key is configured'
        : `pinned is ${source.hostKeys.join(', ')}`,
    );
  }
  switch (judgeHostKey(knownHosts, source.host, source.port, key)) {
    case 'trusted':
      return undefined;
    case 'changed':
      return refuse('which is not the one that the known_hosts file has for it');
    case 'revoked':
      return refuse('which the known_hosts file marks as revoked');
    case 'unknown':
      return refuse('and the known_hosts file does not know the host');
  }
}

function connectionError(thrown: unknown, where: string, signal: AbortSignal): unknown {
  if (signal.aborted) return thrown;
  const { code, level } = thrown as { code?: unknown; level?: unknown };
  const text = messageOf(thrown);
  if (
    level === 'client-authentication' ||
    /authentication methods failed|privateKey value|passphrase/i.test(text)
  ) {
    return new ReconError(
      'SOURCE_AUTHENTICATION',
      `${where} refused the login, or the private key cannot be used.`,
      { cause: thrown },
    );
  }
  const detail = typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : 'no session';
  return new ReconError('SOURCE_UNREACHABLE', `${where} could not be reached (${detail}).`, {
    cause: thrown,
  });
}

/** The server's own word for a status, without the library's decoration. */
function plainReason(thrown: unknown): string {
  return showName(
    messageOf(thrown)
      .replace(/^[A-Za-z_.]*(->|:) ?/, '')
      .split('\n')[0] ?? '',
  );
}

/** Reads the listing piece by piece, so that an endless one ends at the cap and not in the memory. */
function listCapped(sftp: ssh2.SFTPWrapper, source: SftpSource, where: string): Promise<RemoteFile[]> {
  return new Promise((resolve, reject) => {
    const files: RemoteFile[] = [];
    sftp.opendir(source.folder, (opened, handle) => {
      if (opened !== undefined) {
        reject(opened);
        return;
      }
      const next = (): void =>
        sftp.readdir(handle, (failed, entries) => {
          const status = (failed as { code?: number } | undefined)?.code;
          if (status === ssh2.utils.sftp.STATUS_CODE.EOF || (failed === undefined && entries.length === 0)) {
            sftp.close(handle, noop);
            resolve(files);
          } else if (failed !== undefined) {
            sftp.close(handle, noop);
            reject(failed);
          } else {
            for (const { filename, attrs } of entries) {
              if (filename !== '.' && filename !== '..')
                files.push(toRemoteFile(filename, path.posix.join(source.folder, filename), attrs));
            }
            if (files.length <= source.maximumEntries) {
              next();
              return;
            }
            sftp.close(handle, noop);
            reject(
              new ReconError(
                'SOURCE_LISTING',
                `The folder of ${where} has more than maximumEntries (${source.maximumEntries}) entries.`,
              ),
            );
          }
        });
      next();
    });
  });
}

function toRemoteFile(name: string, at: string, attributes: ssh2.Attributes): RemoteFile {
  // 0o100000 is S_IFREG; a server that tells no mode cannot be trusted to list only files.
  return {
    name,
    path: at,
    sizeBytes: attributes.size,
    modifiedAtMs: attributes.mtime * 1000,
    isRegular: (attributes.mode & 0o170000) === 0o100000,
  };
}

function statFile(sftp: ssh2.SFTPWrapper, file: RemoteFile): Promise<RemoteFile | undefined> {
  return new Promise((resolve, reject) => {
    sftp.lstat(file.path, (failed, attributes) => {
      const status = (failed as { code?: number } | undefined)?.code;
      if (status === ssh2.utils.sftp.STATUS_CODE.NO_SUCH_FILE) resolve(undefined);
      else if (failed !== undefined) reject(failed);
      else resolve(toRemoteFile(file.name, file.path, attributes));
    });
  });
}

/** Reads by our own stream: the library's `get` can resolve early and `fastGet` mixes content (measured). */
async function downloadFile(
  sftp: ssh2.SFTPWrapper,
  source: SftpSource,
  file: RemoteFile,
  { signal, write }: Download,
  session: { where: string; gone: Promise<never>; signal: AbortSignal },
): Promise<void> {
  const watch = watchProgress(source.stallTimeoutMs, source.fileTimeoutMs);
  const stream = sftp.createReadStream(file.path, { highWaterMark: 256 * 1024 });
  stream.on('error', noop);
  const read = (async () => {
    for await (const chunk of stream) {
      watch.progress();
      await write(chunk as Buffer);
    }
  })();
  read.catch(noop);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
  aborted.catch(noop);
  try {
    signal.throwIfAborted();
    await Promise.race([read, watch.lost, session.gone, aborted]);
  } catch (thrown) {
    stream.destroy();
    if (thrown instanceof ReconError || signal.aborted) throw thrown;
    const { where } = session;
    if (thrown instanceof DeadlineExceeded) {
      throw new ReconError(
        'SOURCE_STALLED',
        `${where} stopped sending ${showName(file.name)} (${thrown.message}).`,
        { cause: thrown },
      );
    }
    const status = (thrown as { code?: number }).code;
    const code = status === ssh2.utils.sftp.STATUS_CODE.NO_SUCH_FILE ? 'FILE_VANISHED' : 'FILE_UNREADABLE';
    throw new ReconError(code, `${showName(file.name)} of ${where} cannot be read: ${plainReason(thrown)}.`, {
      cause: thrown,
    });
  } finally {
    watch.end();
  }
}
