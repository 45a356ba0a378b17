import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openMigrationSession } from '../src/db/connect.js';
import { holdEmbeddedServer } from '../src/db/embedded/embedded-server.js';
import { readPostmaster } from '../src/db/embedded/postmaster-file.js';
import { describeFailure } from './failed-command.js';
import { measureProcess, processTimes, type ProcessCost } from './measure-process.js';

/** What a `recon` command cost, with the CPU time that the database server used during that time. */
export interface CommandCost extends ProcessCost {
  readonly serverCpuMs: number | null;
}

/**
 * One embedded server for all measurements, so that commands and references run with the same settings on a warm
 * server. Payments are imported once; every measurement gets a clone of the database.
 */
export interface BenchServer {
  readonly url: (database: string) => string;
  /** Creates a database that contains only the schema. */
  create(database: string): Promise<void>;
  clone(from: string, to: string): Promise<void>;
  drop(database: string): Promise<void>;
  /**
   * Runs the real command.
   *
   * @param databaseUrl another way to the same database
   * @throws when it ends with more than 1 (done, something was rejected)
   */
  recon(database: string, args: readonly string[], databaseUrl?: string): Promise<CommandCost>;
  /** CPU time of the database server so far; null where there is no /proc. */
  cpuMs(): number | null;
  close(): Promise<void>;
}

/**
 * @param overrides of server settings, such as those that log every plan
 * @param environment of every command, besides its database and its folder
 */
export async function startBenchServer(
  directory: string,
  overrides: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<BenchServer> {
  const server = await holdEmbeddedServer(path.join(directory, 'server'), overrides);
  const admin = openMigrationSession(server.url);
  const url = (database: string) => server.url.replace('/recon?', `/${database}?`);
  const serverCpuMs = () => cpuOfServer(path.join(directory, 'server/database'));
  const recon = async (
    database: string,
    args: readonly string[],
    databaseUrl = url(database),
  ): Promise<CommandCost> => {
    await admin`checkpoint`;
    const before = serverCpuMs();
    const cost = await measureProcess(
      process.execPath,
      [path.resolve('dist/cli/main.js'), ...args, '--json', '--log-level', 'info'],
      { ...environment, RECON_DATABASE_URL: databaseUrl, RECON_DATA_DIR: path.join(directory, database) },
    );
    const after = serverCpuMs();
    if (cost.exitCode > 1) {
      const failure = describeFailure(args, cost, path.join(directory, 'server/database.log'));
      // Shown at once: if the server is down, cleaning up fails too, and that error would replace this one.
      process.stderr.write(`${failure}\n`);
      throw new Error(failure.split('\n', 1)[0]);
    }
    return { ...cost, serverCpuMs: before === null || after === null ? null : after - before };
  };
  return {
    url,
    recon,
    create: async (database) => {
      await admin`create database ${admin(database)}`;
      await recon(database, ['migrate']);
    },
    clone: async (from, to) => {
      await admin`create database ${admin(to)} template ${admin(from)} strategy file_copy`;
    },
    drop: async (database) => {
      await admin`drop database if exists ${admin(database)} with (force)`;
    },
    cpuMs: serverCpuMs,
    close: async () => {
      await admin.end();
      await server.release();
    },
  };
}

/**
 * The server's processes and those of its children that have ended; null where there is no /proc.
 *
 * A connection that ends while this reads would be missing in both: it was not yet among those that have ended, and no
 * longer among those that live. That is likely right after a command, and lost up to half of its CPU time. So it reads
 * again until no child has ended meanwhile.
 */
function cpuOfServer(cluster: string): number | null {
  const postmaster = readPostmaster(cluster)?.processId;
  if (postmaster === undefined) return null;
  for (;;) {
    const before = processTimes(postmaster);
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isChildOf(name, postmaster))
      .map((name) => processTimes(Number(name)));
    const after = processTimes(postmaster);
    if (before === null || after === null) return null;
    if (children.includes(null) || before.endedChildrenCpuMs !== after.endedChildrenCpuMs) continue;
    const living = children.reduce((sum, times) => sum + (times?.cpuMs ?? 0), 0);
    return after.cpuMs + after.endedChildrenCpuMs + living;
  }
}

function isChildOf(processId: string, parent: number): boolean {
  try {
    return readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === `${parent}`;
  } catch {
    return false;
  }
}
