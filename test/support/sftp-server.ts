import ssh2 from 'ssh2';
import {
  startLoopbackSftpServer,
  type LoopbackSftpOptions,
  type LoopbackSftpServer,
} from '../../src/demo/loopback-sftp-server.js';
import type { SftpRequest } from '../../src/demo/serve-sftp-files.js';

export const { STATUS_CODE } = ssh2.utils.sftp;

/** A real SFTP server over a folder; user `merchant`, password `secret`. */
export function startSftpServer(
  rootDirectory: string,
  options: Partial<LoopbackSftpOptions> = {},
): Promise<LoopbackSftpServer> {
  return startLoopbackSftpServer({ rootDirectory, username: 'merchant', password: 'secret', ...options });
}

/**
 * A key pair that works; a passphrase is for ed25519 only. Some of the library's come out in a form that it
 * does not read itself, and are thrown away.
 */
export function newKeyPair(
  type: 'ed25519' | 'ecdsa' | 'rsa',
  passphrase?: string,
): { private: string; public: string } {
  for (;;) {
    const pair = generate(type, passphrase);
    const isRead = [ssh2.utils.parseKey(pair.private, passphrase), ssh2.utils.parseKey(pair.public)];
    if (!isRead.some((parsed) => parsed instanceof Error)) return pair;
  }
}

function generate(type: 'ed25519' | 'ecdsa' | 'rsa', passphrase?: string) {
  const { generateKeyPairSync } = ssh2.utils;
  if (type === 'rsa') return generateKeyPairSync('rsa', { bits: 2048 });
  if (type === 'ecdsa') return generateKeyPairSync('ecdsa', { bits: 256 });
  return passphrase === undefined
    ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('ed25519', { passphrase, cipher: 'aes256-cbc', rounds: 4 });
}

/** Does something to the n-th (counted from 1) and later requests of a kind for a path, this many times. */
export function onRequest(
  {
    kind,
    path,
    from = 1,
    times = Infinity,
  }: Pick<SftpRequest, 'kind' | 'path'> & { from?: number; times?: number },
  /** True (or nothing) when it dealt with the request; false lets the server answer. */
  act: (request: SftpRequest) => boolean | undefined,
): (request: SftpRequest) => boolean {
  let seen = 0;
  return (request) => {
    if (request.kind !== kind || request.path !== path) return false;
    seen += 1;
    if (seen < from || seen >= from + times) return false;
    return act(request) ?? true;
  };
}

/** Several interceptions, the first that deals with a request wins. */
export function firstOf(...all: ((request: SftpRequest) => boolean)[]): (request: SftpRequest) => boolean {
  return (request) => all.some((one) => one(request));
}

/** What a listing answers with, whatever is in the folder: names, kinds, sizes and times at will. */
export function listing(
  entries: readonly {
    name: string;
    mode?: number;
    size?: number;
    mtime?: number;
    longname?: string;
  }[],
): (request: SftpRequest) => boolean {
  let isTold = false;
  return onRequest({ kind: 'READDIR', path: '/' }, ({ sftp, id }) => {
    if (isTold) {
      sftp.status(id, STATUS_CODE.EOF);
      return true;
    }
    isTold = true;
    sftp.name(
      id,
      entries.map(({ name, longname, ...attributes }) => ({
        filename: name,
        longname: longname ?? '',
        attrs: attributes as never,
      })),
    );
    return true;
  });
}
