import { isIP } from 'node:net';
import path from 'node:path';
import { Writable } from 'node:stream';
import { Client, FTPError, FileType, type AccessOptions, type FileInfo } from 'basic-ftp';
import { ReconError, messageOf, type ErrorCode } from '../../errors.js';
import { showName } from './file-names.js';
import type { Download, RemoteFile, RemoteFolder } from './remote-folder.js';
import type { FtpSource } from './source-settings.js';
import { DeadlineExceeded, watchProgress, withDeadline } from './with-deadline.js';

const noop = () => undefined;

/**
 * Connects over FTP or FTPS. TLS is verified and never given up: a server that does not offer it gets no
 * password. Plain FTP only where the configuration allows it in so many words.
 */
export async function openFtpFolder(source: FtpSource, signal: AbortSignal): Promise<RemoteFolder> {
  const where = `source ${source.name} (${source.protocol} ${source.host}:${source.port})`;
  if (source.tls === null && !source.allowInsecure) {
    throw new ReconError(
      'SOURCE_INSECURE',
      `${where} is plain FTP, which sends the password in the clear; allowInsecure is not set.`,
    );
  }
  const client = new Client(source.stallTimeoutMs, {
    allowSeparateTransferHost: source.allowSeparateTransferHost,
  });
  try {
    await withDeadline(source.connectTimeoutMs, signal, client.access(accessOptions(source)));
  } catch (thrown) {
    client.close();
    throw connectionError(thrown, source, where, signal);
  }
  const ask = async <T>(what: string, code: ErrorCode, work: () => Promise<T>): Promise<T> => {
    try {
      return await withDeadline(source.stallTimeoutMs, signal, work());
    } catch (thrown) {
      if (thrown instanceof ReconError || signal.aborted) throw thrown;
      // After anything but a reply of the server the control connection is in no known state.
      if (!(thrown instanceof FTPError)) client.close();
      throw requestError(thrown, what, code, where);
    }
  };
  return {
    list: () =>
      ask(`list ${source.folder}`, 'SOURCE_LISTING', async () => {
        const entries = await client.list(source.folder === '.' ? undefined : source.folder);
        if (entries.length > source.maximumEntries) {
          throw new ReconError(
            'SOURCE_LISTING',
            `The folder of ${where} has more than maximumEntries (${source.maximumEntries}) entries.`,
          );
        }
        return entries.map((entry) => toRemoteFile(entry, source.folder));
      }),
    stat: (file) => ask(`look at ${showName(file.name)}`, 'FILE_UNREADABLE', () => statFile(client, file)),
    download: (file, download) => downloadFile(client, source, file, download, where),
    settle: (file, afterSuccess) =>
      ask(`move or delete ${showName(file.name)}; its records are stored`, 'SOURCE_LISTING', async () => {
        if (afterSuccess.action === 'delete') await client.remove(file.path);
        if (afterSuccess.action === 'move')
          await client.rename(
            file.path,
            path.posix.join(path.posix.resolve('/', source.folder, afterSuccess.folder), file.name),
          );
      }),
    close: () => {
      client.close();
      return Promise.resolve();
    },
  };
}

function accessOptions(source: FtpSource): AccessOptions {
  return {
    host: source.host,
    port: source.port,
    user: source.username,
    password: source.password ?? '',
    secure: source.tls === null ? false : source.tls === 'implicit' ? 'implicit' : true,
    secureOptions: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...serverNameOption(source.serverName ?? source.host),
      ...(source.certificateAuthority === null ? {} : { ca: source.certificateAuthority }),
    },
  };
}

/** An address is no server name (RFC 6066); Node verifies it against the certificate all the same. */
const serverNameOption = (name: string) => (isIP(name) === 0 ? { servername: name } : {});

function connectionError(thrown: unknown, source: FtpSource, where: string, signal: AbortSignal): unknown {
  if (signal.aborted) return thrown;
  const { code } = thrown as { code?: unknown };
  const fail = (errorCode: ErrorCode, sentence: string) =>
    new ReconError(errorCode, `${where} ${sentence}`, { cause: thrown });
  if (thrown instanceof FTPError && (thrown.code === 530 || thrown.code === 332))
    return fail('SOURCE_AUTHENTICATION', 'refused the login.');
  if (thrown instanceof FTPError && source.tls !== null)
    return fail('SOURCE_INSECURE', `does not offer TLS (reply ${thrown.code}); the password was not sent.`);
  if (typeof code === 'string' && /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|ISSUER/.test(code))
    return fail('SOURCE_CERTIFICATE', `has a certificate that is not accepted (${code}).`);
  if (typeof code === 'string' && /^ERR_SSL|EPROTO/.test(code))
    return fail('SOURCE_CERTIFICATE', `does not speak TLS 1.2 or newer (${code}).`);
  if (thrown instanceof DeadlineExceeded)
    return fail('SOURCE_UNREACHABLE', `could not be reached (${thrown.message}).`);
  return fail(
    'SOURCE_UNREACHABLE',
    `could not be reached (${typeof code === 'string' ? code : thrown instanceof FTPError ? `reply ${thrown.code}` : 'no session'}).`,
  );
}

function requestError(thrown: unknown, what: string, code: ErrorCode, where: string): ReconError {
  if (thrown instanceof DeadlineExceeded || /timeout/i.test(messageOf(thrown))) {
    return new ReconError('SOURCE_STALLED', `${where} stopped answering: could not ${what}.`, {
      cause: thrown,
    });
  }
  if (thrown instanceof FTPError)
    return new ReconError(code, `${where} could not ${what} (reply ${thrown.code}).`, { cause: thrown });
  return new ReconError('SOURCE_UNREACHABLE', `The connection to ${where} was lost: could not ${what}.`, {
    cause: thrown,
  });
}

function toRemoteFile(entry: FileInfo, folder: string): RemoteFile {
  return {
    name: entry.name,
    path: folder === '.' ? entry.name : path.posix.join(folder, entry.name),
    sizeBytes: entry.size,
    modifiedAtMs: entry.modifiedAt?.getTime() ?? null,
    isRegular: entry.type === FileType.File,
  };
}

/** SIZE and MDTM where the server knows them; what it does not know stays unknown. */
async function statFile(client: Client, file: RemoteFile): Promise<RemoteFile | undefined> {
  let sizeBytes: number | null;
  try {
    sizeBytes = await client.size(file.path);
  } catch (thrown) {
    if (!(thrown instanceof FTPError)) throw thrown;
    if (thrown.code === 550) return undefined;
    sizeBytes = null;
  }
  try {
    const modifiedAtMs = (await client.lastMod(file.path)).getTime();
    return { ...file, sizeBytes, modifiedAtMs };
  } catch (thrown) {
    if (!(thrown instanceof FTPError)) throw thrown;
    return { ...file, sizeBytes, modifiedAtMs: null };
  }
}

async function downloadFile(
  client: Client,
  source: FtpSource,
  file: RemoteFile,
  { signal, write }: Download,
  where: string,
): Promise<void> {
  const watch = watchProgress(source.stallTimeoutMs, source.fileTimeoutMs);
  // What we fail with ourselves (a full disk) must reach the caller as it is, not as the library's error.
  let own: Error | undefined;
  const sink = new Writable({
    highWaterMark: 1024 * 1024,
    write: (chunk: Buffer, _encoding, done) => {
      watch.progress();
      write(chunk).then(
        () => done(),
        (thrown: unknown) => {
          own = thrown instanceof Error ? thrown : new Error(String(thrown));
          done(own);
        },
      );
    },
  });
  sink.on('error', noop);
  const stop = () => client.close();
  signal.addEventListener('abort', stop, { once: true });
  const transfer = client.downloadTo(sink, file.path);
  transfer.catch(noop);
  try {
    signal.throwIfAborted();
    await Promise.race([transfer, watch.lost]);
  } catch (thrown) {
    if (!(thrown instanceof FTPError) || own !== undefined) client.close();
    if (own !== undefined) throw own;
    if (thrown instanceof ReconError || signal.aborted) throw thrown;
    if (thrown instanceof FTPError && thrown.code === 550) {
      throw new ReconError(
        'FILE_VANISHED',
        `${showName(file.name)} of ${where} is gone or may not be read (reply 550).`,
        { cause: thrown },
      );
    }
    throw requestError(thrown, `send ${showName(file.name)}`, 'FILE_UNREADABLE', where);
  } finally {
    watch.end();
    signal.removeEventListener('abort', stop);
  }
}
