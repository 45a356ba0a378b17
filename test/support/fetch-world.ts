import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino, type Logger } from 'pino';
import { ReconError } from '../../src/errors.js';
import { fetchSource } from '../../src/intake/fetch/fetch-source.js';
import type { FetchDependencies, FetchedFile } from '../../src/intake/fetch/fetched-file.js';
import {
  sourceDefaults,
  type FtpSource,
  type LocalSource,
  type SftpSource,
  type SourceSettings,
} from '../../src/remote/source-settings.js';
import { archivePath } from './archive.js';
import { fetchDependencies } from './fetch-dependencies.js';

export interface Fetched {
  /** `a.csv: received`, `b.csv: failed FILE_INCOMPLETE`. */
  readonly files: string[];
  readonly results: FetchedFile[];
  /** What was slept between tries, in milliseconds. */
  readonly pauses: number[];
  /** Messages of warnings and worse. */
  readonly warnings: string[];
}

/** A remote folder, a data directory, and sources with short deadlines; `close` removes everything. */
export class FetchWorld {
  readonly directory = mkdtempSync(path.join(tmpdir(), 'recon-fetch-'));
  readonly remote = path.join(this.directory, 'remote');
  readonly data = path.join(this.directory, 'data');
  readonly #open: { close(): Promise<unknown> }[] = [];

  constructor() {
    mkdirSync(this.remote);
  }

  /** Closes a server when the test is over. */
  closing<T extends { close(): Promise<unknown> }>(server: T): T {
    this.#open.push(server);
    return server;
  }

  async close(): Promise<void> {
    for (const server of this.#open.splice(0)) await server.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Puts a remote file that has been quiet for an hour; its SHA-256. */
  put(name: string, content: string | Buffer = `content of ${name}\n`, ageMs = 3_600_000): string {
    const file = path.join(this.remote, name);
    writeFileSync(file, content);
    const time = new Date(Date.now() - ageMs);
    utimesSync(file, time, time);
    return sha256Of(content);
  }

  local(changes: Partial<LocalSource> = {}): LocalSource {
    return { ...sourceDefaults, protocol: 'local', name: 'inbox', folder: this.remote, ...changes };
  }

  sftp(server: { port: number; hostKeyFingerprint?: string }, changes: Partial<SftpSource> = {}): SftpSource {
    return {
      ...sourceDefaults,
      ...shortDeadlines,
      protocol: 'sftp',
      name: 'acquirer',
      port: server.port,
      privateKey: null,
      passphrase: null,
      hostKeys: [server.hostKeyFingerprint ?? 'SHA256:none'],
      knownHostsFile: null,
      allowSha1HostKeys: false,
      folder: '/',
      ...changes,
    };
  }

  ftp(server: { port: number }, changes: Partial<FtpSource> = {}): FtpSource {
    return {
      ...sourceDefaults,
      ...shortDeadlines,
      protocol: 'ftp',
      name: 'acquirer',
      port: server.port,
      tls: null,
      certificateAuthority: null,
      serverName: null,
      allowInsecure: true,
      allowSeparateTransferHost: false,
      folder: '/',
      ...changes,
    };
  }

  ftps(
    server: { port: number; certificate: string },
    tls: 'explicit' | 'implicit',
    changes: Partial<FtpSource> = {},
  ): FtpSource {
    return this.ftp(server, {
      protocol: 'ftps',
      tls,
      certificateAuthority: server.certificate,
      allowInsecure: false,
      ...changes,
    });
  }

  dependencies(changes: Partial<FetchDependencies> = {}): FetchDependencies {
    return { ...fetchDependencies(this.data), ...changes };
  }

  /** Fetches everything that a source has, and settles what was received when `settles` is true. */
  async fetchAll(
    source: SourceSettings,
    changes: Partial<FetchDependencies> & { settles?: boolean } = {},
  ): Promise<Fetched> {
    const { settles = false, ...overrides } = changes;
    const pauses: number[] = [];
    const warnings: string[] = [];
    const results: FetchedFile[] = [];
    const sleep = (ms: number) => Promise.resolve(void pauses.push(ms));
    const dependencies = this.dependencies({ sleep, logger: collectingLogger(warnings), ...overrides });
    for await (const file of fetchSource(source, dependencies)) {
      results.push(file);
      if (settles && 'dispose' in file) await file.dispose();
    }
    return { files: results.map(describeFile), results, pauses, warnings };
  }

  /** What is in the archive (checked against its own hashes), and that no part of a file is left behind. */
  archived(): string[] {
    const archive = path.join(this.data, 'archive');
    const stored = existsSync(archive)
      ? readdirSync(archive, { recursive: true, encoding: 'utf8' })
          .map((name) => path.basename(name))
          .filter((name) => name.length > 2)
      : [];
    for (const sha256 of stored) {
      const actual = sha256Of(readFileSync(archivePath(this.data, sha256)));
      if (actual !== sha256) throw new Error(`${sha256} of the archive holds ${actual}`);
    }
    if (this.incoming().length > 0) throw new Error(`half files: ${this.incoming().join(', ')}`);
    return stored.sort();
  }

  incoming(): string[] {
    const incoming = path.join(this.data, 'incoming');
    return existsSync(incoming) ? readdirSync(incoming) : [];
  }
}

const shortDeadlines = {
  host: '127.0.0.1',
  username: 'merchant',
  password: 'secret',
  connectTimeoutMs: 3000,
  stallTimeoutMs: 600,
  fileTimeoutMs: 10_000,
} as const;

export const sha256Of = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

export function describeFile(file: FetchedFile): string {
  return 'error' in file ? `${file.name}: ${file.status} ${file.error.code}` : `${file.name}: ${file.status}`;
}

/** The error of a promise that must fail; throws when it does not fail. */
export async function failureOf(work: Promise<unknown>): Promise<ReconError> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof ReconError) return thrown;
    throw thrown;
  }
  throw new Error('it did not fail');
}

function collectingLogger(warnings: string[]): Logger {
  return pino(
    { level: 'warn' },
    {
      write: (line: string) => {
        warnings.push((JSON.parse(line) as { msg: string }).msg);
      },
    },
  );
}

/** Bytes of which no two stretches are alike, so that mixed-up pieces show. */
export function numberedBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32BE(at, at);
  return bytes;
}
