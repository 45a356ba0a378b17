import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import ssh2, { type Connection, type SFTPWrapper } from 'ssh2';
import { systemCodeOf } from '../disk/disk-errors.js';
import { privateFile, privateFolder } from '../disk/private-files.js';

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp;

/** What a loopback server serves. */
export interface SftpFolder {
  readonly rootDirectory: string;
  /** Files and folders may also be created and written; default: not. */
  readonly isWritable?: boolean;
  /** For fault tests: gets every request before it is answered; true means that it was handled. */
  readonly intercept?: (request: SftpRequest) => boolean;
}

/** A request of a client, for `intercept`. */
export interface SftpRequest {
  readonly kind:
    'OPENDIR' | 'READDIR' | 'OPEN' | 'READ' | 'STAT' | 'RENAME' | 'REMOVE' | 'WRITE' | 'MKDIR' | 'RMDIR';
  readonly path: string;
  readonly id: number;
  readonly offset: number;
  /** The number of bytes that a READ requests, or that a WRITE has. */
  readonly length: number;
  readonly sftp: SFTPWrapper;
  readonly connection: Connection;
}

type Handle = { readonly path: string } & ({ readonly descriptor: number } | { readonly entries: string[] });

/** Does not follow a link or wait for the writer of a pipe. */
const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The number of entries in one answer to READDIR; the size of a packet is limited. */
const entriesAtOnce = 100;

/** What the requests of one session share. */
interface SftpFiles {
  readonly handles: Map<number, Handle>;
  readonly localPath: (remote: string) => string;
  /** Answers with a new handle. */
  readonly open: (id: number, handle: Handle) => void;
  readonly handleOf: (name: Buffer) => Handle | undefined;
  /** Answers a request; a file system error is answered with its SFTP status. */
  readonly answer: (request: AskedOperation, work: () => void) => void;
}

/** What a request asks for; only one that reads or writes bytes has a range. */
type AskedOperation = Pick<SftpRequest, 'kind' | 'id' | 'path'> &
  Partial<Pick<SftpRequest, 'offset' | 'length'>>;

/**
 * Answers the requests of one session with the files of a folder: list, read, rename, remove; with `isWritable` also
 * write.
 */
export function serveSftpFiles(sftp: SFTPWrapper, connection: Connection, options: SftpFolder): void {
  const files = openFiles(sftp, connection, options);
  sftp.on('REALPATH', (id, given) => {
    const resolved = path.posix.normalize(`/${given}`);
    sftp.name(id, [{ filename: resolved, longname: resolved, attrs: {} as never }]);
  });
  serveFolders(sftp, files);
  serveReading(sftp, files, options.isWritable === true);
  if (options.isWritable === true) serveWriting(sftp, files);
  serveHandles(sftp, files);
  serveChanges(sftp, files);
}

function openFiles(sftp: SFTPWrapper, connection: Connection, options: SftpFolder): SftpFiles {
  const handles = new Map<number, Handle>();
  let nextHandle = 1;
  const localPath = (remote: string) => path.join(options.rootDirectory, path.posix.normalize(`/${remote}`));
  const open = (id: number, handle: Handle): void => {
    const name = Buffer.alloc(4);
    name.writeUInt32BE(nextHandle);
    handles.set(nextHandle, handle);
    nextHandle += 1;
    sftp.handle(id, name);
  };
  const handleOf = (name: Buffer) => (name.length === 4 ? handles.get(name.readUInt32BE(0)) : undefined);
  const answer = (request: AskedOperation, work: () => void): void => {
    if (options.intercept?.({ offset: 0, length: 0, ...request, sftp, connection }) === true) return;
    try {
      work();
    } catch (thrown) {
      const code = systemCodeOf(thrown);
      sftp.status(
        request.id,
        code === 'ENOENT'
          ? STATUS_CODE.NO_SUCH_FILE
          : code === 'EACCES'
            ? STATUS_CODE.PERMISSION_DENIED
            : STATUS_CODE.FAILURE,
      );
    }
  };
  return { handles, localPath, open, handleOf, answer };
}

function serveFolders(sftp: SFTPWrapper, { localPath, open, handleOf, answer }: SftpFiles): void {
  sftp.on('OPENDIR', (id, given) =>
    answer({ kind: 'OPENDIR', id, path: given }, () => {
      open(id, { path: given, entries: readdirSync(localPath(given)) });
    }),
  );
  sftp.on('READDIR', (id, name) => {
    const handle = handleOf(name);
    answer({ kind: 'READDIR', id, path: handle?.path ?? '' }, () => {
      if (handle === undefined || !('entries' in handle) || handle.entries.length === 0) {
        sftp.status(id, STATUS_CODE.EOF);
        return;
      }
      const names = handle.entries.splice(0, entriesAtOnce);
      sftp.name(
        id,
        names.flatMap((filename) => {
          // A file that has disappeared since the folder was read is not a failure.
          const stats = lstatSync(path.join(localPath(handle.path), filename), { throwIfNoEntry: false });
          return stats === undefined
            ? []
            : [{ filename, longname: filename, attrs: attributesOf(stats) as never }];
        }),
      );
    });
  });
  const stat = (id: number, given: string) =>
    answer({ kind: 'STAT', id, path: given }, () =>
      sftp.attrs(id, attributesOf(lstatSync(localPath(given)))),
    );
  sftp.on('STAT', stat);
  sftp.on('LSTAT', stat);
}

function serveReading(
  sftp: SFTPWrapper,
  { localPath, open, handleOf, answer }: SftpFiles,
  isWritable: boolean,
): void {
  sftp.on('OPEN', (id, given, flags, { mode = privateFile }: { mode?: number }) =>
    answer({ kind: 'OPEN', id, path: given }, () => {
      const isForWriting = (flags & (OPEN_MODE.WRITE | OPEN_MODE.APPEND | OPEN_MODE.CREAT)) !== 0;
      if (isForWriting && !isWritable) sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
      else if (isForWriting) open(id, { path: given, descriptor: openSync(localPath(given), 'wx', mode) });
      else open(id, { path: given, descriptor: openSync(localPath(given), readOnly) });
    }),
  );
  sftp.on('FSTAT', (id, name) => {
    const handle = handleOf(name);
    if (handle === undefined || !('descriptor' in handle)) sftp.status(id, STATUS_CODE.FAILURE);
    else sftp.attrs(id, attributesOf(fstatSync(handle.descriptor)));
  });
  sftp.on('READ', (id, name, offset, length) => {
    const handle = handleOf(name);
    const read = () => {
      if (handle === undefined || !('descriptor' in handle)) {
        sftp.status(id, STATUS_CODE.FAILURE);
        return;
      }
      const buffer = Buffer.allocUnsafe(Math.min(length, 256 * 1024));
      const count = readSync(handle.descriptor, buffer, 0, buffer.length, offset);
      if (count === 0) sftp.status(id, STATUS_CODE.EOF);
      else sftp.data(id, buffer.subarray(0, count));
    };
    answer({ kind: 'READ', id, path: handle?.path ?? '', offset, length }, read);
  });
}

function serveWriting(sftp: SFTPWrapper, { localPath, handleOf, answer }: SftpFiles): void {
  const done = (id: number) => sftp.status(id, STATUS_CODE.OK);
  sftp.on('WRITE', (id, name, offset, data) => {
    const handle = handleOf(name);
    const write = () => {
      if (handle === undefined || !('descriptor' in handle)) {
        sftp.status(id, STATUS_CODE.FAILURE);
        return;
      }
      writeSync(handle.descriptor, data, 0, data.length, offset);
      done(id);
    };
    answer({ kind: 'WRITE', id, path: handle?.path ?? '', offset, length: data.length }, write);
  });
  sftp.on('MKDIR', (id, given, { mode = privateFolder }: { mode?: number }) =>
    answer({ kind: 'MKDIR', id, path: given }, () => {
      mkdirSync(localPath(given), mode);
      done(id);
    }),
  );
  sftp.on('RMDIR', (id, given) =>
    answer({ kind: 'RMDIR', id, path: given }, () => {
      rmdirSync(localPath(given));
      done(id);
    }),
  );
  const change = (id: number, given: string, { mode }: { mode?: number }) =>
    answer({ kind: 'STAT', id, path: given }, () => {
      if (mode !== undefined) chmodSync(localPath(given), mode & 0o777);
      done(id);
    });
  sftp.on('SETSTAT', change);
  sftp.on('FSETSTAT', (id, name, attributes) => change(id, handleOf(name)?.path ?? '', attributes));
}

function serveHandles(sftp: SFTPWrapper, { handles, handleOf }: SftpFiles): void {
  sftp.on('CLOSE', (id, name) => {
    const handle = handleOf(name);
    if (handle !== undefined && 'descriptor' in handle) closeSync(handle.descriptor);
    if (name.length === 4) handles.delete(name.readUInt32BE(0));
    sftp.status(id, STATUS_CODE.OK);
  });
  sftp.on('close', () => {
    for (const handle of handles.values()) if ('descriptor' in handle) closeSync(handle.descriptor);
    handles.clear();
  });
}

function serveChanges(sftp: SFTPWrapper, { localPath, answer }: SftpFiles): void {
  sftp.on('RENAME', (id, from, to) =>
    answer({ kind: 'RENAME', id, path: from }, () => {
      // The protocol's RENAME does not overwrite.
      const isTaken = lstatSync(localPath(to), { throwIfNoEntry: false }) !== undefined;
      if (!isTaken) renameSync(localPath(from), localPath(to));
      sftp.status(id, isTaken ? STATUS_CODE.FAILURE : STATUS_CODE.OK);
    }),
  );
  sftp.on('REMOVE', (id, given) =>
    answer({ kind: 'REMOVE', id, path: given }, () => {
      unlinkSync(localPath(given));
      sftp.status(id, STATUS_CODE.OK);
    }),
  );
}

function attributesOf(stats: Stats) {
  return {
    mode: stats.mode,
    uid: stats.uid,
    gid: stats.gid,
    size: stats.size,
    atime: Math.floor(stats.atimeMs / 1000),
    mtime: Math.floor(stats.mtimeMs / 1000),
  };
}
