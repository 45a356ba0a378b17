import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { openAndMigrate, openDatabase, openMigrationSession } from '../../src/db/connect.js';
import { addShard } from '../../src/shards/add-shard.js';
import { startTcpPostgres, type TcpPostgres } from '../support/tls-postgres.js';
import { databaseUrl } from '../support/database-url.js';

const logger = pino({ enabled: false });

/** The user `app` needs a password; the superuser does not. */
const rules = 'host all app 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust';

/** One database on each of three servers: the home database, and those of two shards. */
export interface ThreeDatabases {
  readonly home: string;
  readonly a: string;
  readonly b: string;
}

/** Three PostgreSQL servers of this test file, each with a migrated template. */
export interface ThreeServers {
  /** Three migrated databases, which do not know each other. */
  create(): Promise<ThreeDatabases>;
  /** The same, with two shards. */
  createDivided(): Promise<ThreeDatabases>;
  readonly servers: readonly TcpPostgres[];
  stop(): Promise<void>;
}

export async function startThreeServers(): Promise<ThreeServers> {
  const servers = await Promise.all([1, 2, 3].map(() => startTcpPostgres(rules)));
  const urls = servers.map(({ port }) => `postgres://recon@127.0.0.1:${port}/postgres`);
  await Promise.all(
    urls.map(async (url) => {
      await untilUp(url);
      await inSession(url, 'create database migrated');
      await openAndMigrate({ url: databaseUrl(url, 'migrated') }, { logger });
      // Writes a file that each copy then has, with which its first session starts faster (`global-setup.ts`).
      await inSession(databaseUrl(url, 'migrated'), 'select');
    }),
  );
  const create = async () => {
    const name = `recon_${randomBytes(5).toString('hex')}`;
    const creation = `create database ${name} template migrated strategy file_copy`;
    await Promise.all(urls.map((url) => inSession(url, creation)));
    const [home = '', a = '', b = ''] = urls.map((url) => databaseUrl(url, name));
    return { home, a, b };
  };
  return {
    create,
    createDivided: async () => {
      const { home, a, b } = await create();
      for (const [name, url] of Object.entries({ a, b }))
        await addShard({ home, name, url, author: 'test', logger });
      return { home, a, b };
    },
    servers,
    stop: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** A server that is starting refuses connections for a moment. */
export async function untilUp(url: string): Promise<void> {
  const database = await openDatabase({ url }, { logger, anySchema: true });
  await database.close();
}

/** Statements on a server, outside any transaction. */
export async function inSession(
  url: string,
  statement: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const session = openMigrationSession(url);
  try {
    return await session.unsafe(statement);
  } finally {
    await session.end();
  }
}
