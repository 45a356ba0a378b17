import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, inject, onTestFinished } from 'vitest';
import { openDatabase, openMigrationSession, type Database } from '../../src/db/connect.js';
import { databaseUrl } from './database-url.js';

/** A private database, migrated and empty. */
export interface TestDatabase {
  readonly name: string;
  /** For a spawned `recon` as RECON_DATABASE_URL, and for psql. */
  readonly url: string;
  readonly database: Database;
  /** Closes and removes it; with RECON_KEEP=1 it stays and its URL is printed. */
  drop(): Promise<void>;
}

/**
 * Copies the migrated template of the test server. Many may be made at once.
 *
 * @param template another database to copy, to which nobody may be connected
 */
export async function createTestDatabase(template = inject('testTemplate')): Promise<TestDatabase> {
  const name = `recon_test_${process.pid}_${randomBytes(5).toString('hex')}`;
  const url = testUrl(name);
  // By its files: in memory, that takes half of the time of copying page by page.
  await administer(`create database ${name} template ${template} strategy file_copy`);
  const database = await openDatabase(
    { url },
    { logger: pino({ enabled: false }), applicationName: 'recon test' },
  );
  return {
    name,
    url,
    database,
    drop: async () => {
      await database.close();
      if (process.env['RECON_KEEP'] === '1') {
        process.stderr.write(`kept ${url}\n`);
        return;
      }
      await administer(`drop database if exists ${name} with (force)`);
    },
  };
}

/** A database that exists while tests run: the set-up of the tests makes and removes it. */
export type DatabaseOfTests = Omit<TestDatabase, 'drop'>;

/** One database for all tests of a file or `describe`: made before the first one, and removed after the last one. */
export function databaseForAllTests(create = createTestDatabase): DatabaseOfTests {
  const { database, make, remove } = databaseToMake(create);
  beforeAll(make);
  afterAll(remove);
  return database;
}

/** A new database for each test of a file or `describe`, which is removed after the test. */
export function databaseForEachTest(): DatabaseOfTests {
  const { database, make, remove } = databaseToMake(createTestDatabase);
  beforeEach(make);
  afterEach(remove);
  return database;
}

function databaseToMake(create: () => Promise<TestDatabase>) {
  let made: TestDatabase | undefined;
  const current = () => {
    if (made === undefined) throw new Error('The database of the tests exists only while they run.');
    return made;
  };
  return {
    database: {
      get name() {
        return current().name;
      },
      get url() {
        return current().url;
      },
      get database() {
        return current().database;
      },
    },
    make: async () => {
      made = await create();
    },
    remove: async () => {
      await made?.drop();
      made = undefined;
    },
  };
}

/** The URL of a database without any table, which is removed after the test. */
export async function createEmptyDatabase(): Promise<string> {
  const name = `recon_test_${process.pid}_${randomBytes(5).toString('hex')}`;
  await administer(`create database ${name} template template0`);
  onTestFinished(async () => {
    await administer(`drop database if exists ${name} with (force)`);
  });
  return testUrl(name);
}

/** The URL of a database of the test server, whether it exists or not. */
export function testUrl(name: string): string {
  return databaseUrl(inject('testServerUrl'), name);
}

let administration: ReturnType<typeof openMigrationSession> | undefined;
let lastUse: NodeJS.Timeout | undefined;

/** One statement on the test server itself, outside any transaction. */
export async function administer(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  // Kept from one test to the next: a session for each statement took a third of the time of a test database. After a
  // second without work it ends, so that it keeps no worker running.
  administration ??= openMigrationSession(inject('testServerUrl'));
  clearTimeout(lastUse);
  try {
    return await administration.unsafe(statement);
  } finally {
    clearTimeout(lastUse);
    lastUse = setTimeout(endAdministration, 1000);
  }
}

function endAdministration(): void {
  void administration?.end();
  administration = undefined;
}
