import path from 'node:path';
import { takesOnlySidecars } from '../remote/sidecar-names.js';
import type { AfterSuccess, OpenPgpSettings, SourceSettings } from '../remote/source-settings.js';
import { suggestion } from '../values/closest-name.js';
import { completeExpected } from './complete-expected.js';
import { completeOpenPgp } from './complete-openpgp.js';
import { isWritten, knownHostsOf, readSftpSecrets } from './complete-sftp.js';
import type { SettingPath } from './config-document.js';
import { reportProtocol, reportRepeatedNames } from './list-entries.js';
import {
  commonSettings,
  protocols,
  sourceSchemas,
  type ConfiguredSource,
  type Protocol,
} from './source-schema.js';
import { isGroup, readTextFile, secretOf, type RawSettings, type Surrounding } from './read-secret.js';
import { issueSentence, reportIssues } from './setting-issues.js';

/**
 * The sources of the configuration. For each, the settings are checked one by one, then together. Sources with problems
 * are left out of the result, because the problems end the program anyway.
 */
export function completeSources(
  entries: readonly unknown[],
  timezone: string,
  surrounding: Surrounding,
): SourceSettings[] {
  reportRepeatedNames(entries, ['sources'], 'source', surrounding);
  return entries.flatMap((entry, index) => {
    const source = completeSource(entry, ['sources', index], timezone, surrounding);
    return source === undefined ? [] : [source];
  });
}

function completeSource(
  entry: unknown,
  at: SettingPath,
  timezone: string,
  surrounding: Surrounding,
): SourceSettings | undefined {
  const { problem } = surrounding;
  if (!isGroup(entry)) {
    problem(at, 'must be a group of settings with name and protocol');
    return undefined;
  }
  const protocol = protocols.find((each) => each === entry['protocol']);
  if (protocol === undefined) {
    const guess = reportProtocol(entry['protocol'], protocols, at, surrounding);
    // A wrong protocol must not hide the other problems of the source.
    if (guess === undefined) checkCommonSettings(entry, at, surrounding);
    else completeSource({ ...entry, protocol: guess }, at, timezone, surrounding);
    return undefined;
  }
  const schema = sourceSchemas[protocol];
  const parsed = schema.safeParse(entry, { error: issueSentence });
  if (!parsed.success) {
    reportIssues(parsed.error, schema, (where, sentence, place) =>
      problem([...at, ...where], sentence, place),
    );
  }
  const { totals, filePattern } = parsed.data ?? {};
  if (totals !== undefined && filePattern !== undefined && takesOnlySidecars(totals.sidecar, filePattern)) {
    problem(
      [...at, 'totals', 'sidecar'],
      `would make every file that filePattern matches a file with totals; choose a name such as '{name}.totals'`,
    );
  }
  if (parsed.data !== undefined && movesIntoOwnFolder(parsed.data, surrounding.folder)) {
    problem(
      [...at, 'afterSuccess', 'folder'],
      'is the folder of the source, where each run would take the files again; name another one',
    );
  }
  const expected = completeExpected(
    entry['expected'],
    [...at, 'expected'],
    parsed.data?.timezone ?? timezone,
    surrounding,
  );
  const openpgp = completeOpenPgp(
    entry['openpgp'],
    parsed.data?.openpgp?.required ?? true,
    [...at, 'openpgp'],
    surrounding,
  );
  const secrets = readSecrets(entry, protocol, at, surrounding);
  return parsed.success
    ? assemble({ ...parsed.data, expected }, { ...secrets, openpgp }, timezone, surrounding.folder)
    : undefined;
}

/** Whether files are moved into the folder that they are in, as far as the two paths show it. */
function movesIntoOwnFolder({ protocol, folder, afterSuccess }: ConfiguredSource, base: string): boolean {
  if (afterSuccess.action !== 'move') return false;
  const target = afterSuccess.folder;
  if (protocol === 'local') return path.resolve(base, folder) === path.resolve(base, target);
  const { posix } = path;
  // Where the folder of a login is, only the server knows.
  if (posix.isAbsolute(target) && !posix.isAbsolute(folder)) return false;
  return posix.resolve('/', folder) === posix.resolve('/', folder, target);
}

/** Checks the settings that every protocol has; the names of all others must be those of some protocol. */
function checkCommonSettings(entry: RawSettings, at: SettingPath, { problem }: Surrounding): void {
  const parsed = commonSettings.safeParse(entry, { error: issueSentence });
  if (!parsed.success) {
    reportIssues(parsed.error, commonSettings, (where, sentence, place) =>
      problem([...at, ...where], sentence, place),
    );
  }
  const known = new Set(protocols.flatMap((each) => Object.keys(sourceSchemas[each].shape)));
  for (const key of Object.keys(entry).filter((each) => !known.has(each))) {
    problem([...at, key], `there is no such setting${suggestion(key, [...known])}`, 'name');
  }
}

interface Secrets {
  readonly openpgp: OpenPgpSettings | null;
  readonly password: string | null;
  readonly privateKey: string | null;
  readonly passphrase: string | null;
  readonly certificateAuthority: string | null;
}

const noSecrets: Omit<Secrets, 'openpgp'> = {
  password: null,
  privateKey: null,
  passphrase: null,
  certificateAuthority: null,
};

/** Reads the settings that are in files, and requires those that every server needs. Checks the entry as written. */
function readSecrets(
  entry: RawSettings,
  protocol: Protocol,
  at: SettingPath,
  surrounding: Surrounding,
): Omit<Secrets, 'openpgp'> {
  const { problem } = surrounding;
  if (protocol === 'local') return noSecrets;
  if (protocol === 'sftp') {
    return { ...noSecrets, ...readSftpSecrets(entry, 'an sftp source', at, surrounding) };
  }
  const has = (...names: string[]) => isWritten(entry, ...names);
  const password = secretOf(entry, 'password', at, surrounding);
  if (!has('password', 'passwordFile')) problem(at, `an ${protocol} source needs passwordFile or password`);
  if (protocol === 'ftps') {
    const certificateAuthority = readTextFile(entry['caFile'], [...at, 'caFile'], surrounding);
    return { ...noSecrets, password, certificateAuthority };
  }
  if (!has('allowInsecure') || String(entry['allowInsecure']) === 'false') {
    problem(
      [...at, 'allowInsecure'],
      'plain FTP sends the password and the files unencrypted; use ftps or sftp, or set allowInsecure: true',
    );
  }
  return { ...noSecrets, password };
}

function assemble(
  source: ConfiguredSource & Pick<SourceSettings, 'expected'>,
  secrets: Secrets,
  timezone: string,
  folder: string,
): SourceSettings {
  const zone = {
    timezone: source.timezone ?? timezone,
    totals: source.totals ?? null,
    openpgp: secrets.openpgp,
  };
  const { password } = secrets;
  switch (source.protocol) {
    case 'local':
      return {
        ...source,
        ...zone,
        folder: path.resolve(folder, source.folder),
        afterSuccess: onThisMachine(source.afterSuccess, folder),
      };
    case 'sftp': {
      const { passwordFile: _p, privateKeyFile: _k, passphraseFile: _f, knownHostsFile, ...rest } = source;
      const { privateKey, passphrase } = secrets;
      const knownHosts = knownHostsOf(knownHostsFile, folder);
      return { ...rest, ...zone, password, privateKey, passphrase, knownHostsFile: knownHosts };
    }
    case 'ftps': {
      const { passwordFile: _p, caFile: _c, ...rest } = source;
      const { certificateAuthority } = secrets;
      return {
        ...rest,
        ...zone,
        password,
        certificateAuthority,
        port: source.port ?? (source.tls === 'implicit' ? 990 : 21),
        serverName: source.serverName ?? null,
        allowInsecure: false,
      };
    }
    case 'ftp': {
      const { passwordFile: _p, ...rest } = source;
      return { ...rest, ...zone, password, tls: null, certificateAuthority: null, serverName: null };
    }
  }
}

function onThisMachine(afterSuccess: AfterSuccess, folder: string): AfterSuccess {
  return afterSuccess.action === 'move'
    ? { action: 'move', folder: path.resolve(folder, afterSuccess.folder) }
    : afterSuccess;
}
