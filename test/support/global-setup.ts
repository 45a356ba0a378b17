import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import pino from 'pino';
import type postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { openAndMigrate, openMigrationSession } from '../../src/db/connect.js';
import { holdEmbeddedServer } from '../../src/db/embedded/embedded-server.js';
import { databaseUrl } from './database-url.js';
import { serverFolder, serverFolders, serverPrefix } from './server-folder.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A superuser's URL of the server on which test databases are made. */
    testServerUrl: string;
    /** The migrated, empty database that every test database is a copy of. */
    testTemplate: string;
  }
}

/** Fast, and allowed to lose everything: nobody needs a test database after a power cut. */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // A worker has up to seven connections open, and more while its tests run concurrently.
  max_connections: '400',
  shared_buffers: '128MB',
};

interface TestServer {
  readonly url: string;
  readonly template: string;
  stop(): Promise<void>;
}

/** Every project loads this file for itself; the first that has a test to run starts the server of all. */
const shared: { recon?: { server: Promise<TestServer>; users: number } } = globalThis as object;

/**
 * One server for all test files, with one migrated template that each test database is copied from. It is
 * private to this run of the tests, or the one of RECON_TEST_DATABASE_URL.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = (shared.recon ??= { server: startServer(), users: 0 });
  started.users += 1;
  const server = await started.server;
  project.provide('testServerUrl', server.url);
  project.provide('testTemplate', server.template);
  return async () => {
    started.users -= 1;
    if (started.users === 0) await server.stop();
  };
}

async function startServer(): Promise<TestServer> {
  const given = process.env['RECON_TEST_DATABASE_URL'];
  const server =
    given === undefined ? await startPrivateServer() : { url: given, stop: () => Promise.resolve() };
  const template = `recon_template_${process.pid}`;
  try {
    await administer(server.url, async (sql) => {
      await sql.unsafe(`drop database if exists ${template}`);
      await sql.unsafe(`create database ${template} encoding 'UTF8' template template0`);
    });
    await migrate(databaseUrl(server.url, template));
    // The first session of a database writes a file with what each session has to know of its catalogue. Each copy of
    // the template then has this file, and its first session starts in two thirds of the time.
    await administer(databaseUrl(server.url, template), (sql) => sql`select`);
  } catch (thrown) {
    await server.stop();
    throw thrown;
  }
  return {
    url: server.url,
    template,
    stop: async () => {
      if (given !== undefined) {
        await administer(server.url, (sql) => sql.unsafe(`drop database if exists ${template} with (force)`));
      }
      await server.stop();
    },
  };
}

async function startPrivateServer(): Promise<{ url: string; stop(): Promise<void> }> {
  await removeLeftovers();
  const directory = mkdtempSync(path.join(serverFolder(), `${serverPrefix}${process.pid}-`));
  const server = await holdEmbeddedServer(directory, settings);
  const keep = process.env['RECON_KEEP'] === '1';
  return {
    url: server.url,
    stop: async () => {
      if (keep) return;
      await administer(server.url, endOtherSessions);
      await server.release();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What a killed run of the tests left behind: its server is taken over, and thereby stopped on release. */
async function removeLeftovers(): Promise<void> {
  for (const directory of serverFolders().flatMap(foldersOfServers)) {
    const processId = Number(path.basename(directory).slice(serverPrefix.length).split('-')[0]);
    if (!Number.isInteger(processId) || isAlive(processId)) continue;
    // Another run of the tests may have removed it meanwhile.
    if (existsSync(path.join(directory, 'database'))) {
      const server = await holdEmbeddedServer(directory, settings).catch(() => undefined);
      await server?.release();
    }
    rmSync(directory, { recursive: true, force: true });
  }
}

function foldersOfServers(parent: string): string[] {
  const names = readdirSync(parent).filter((name) => name.startsWith(serverPrefix));
  return names.map((name) => path.join(parent, name));
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A test that failed to close its database must not keep the server up. */
async function endOtherSessions(sql: postgres.Sql): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid() and datname <> 'postgres'`;
}

async function migrate(url: string): Promise<void> {
  await openAndMigrate({ url }, { logger: pino({ enabled: false }) });
}

async function administer(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const session = openMigrationSession(url);
  try {
    // The administration needs no int8, so the plainer type will do.
    await work(session);
  } finally {
    await session.end();
  }
}
