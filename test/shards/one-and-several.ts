import pino from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { openDatabase, type Database } from '../../src/db/connect.js';
import { databaseForAllTests } from '../support/database.js';
import { startThreeServers, type ThreeServers } from './three-servers.js';

/** Makes an empty database on one server and one that is divided over two shards, for all tests of a file. */
export function oneAndSeveral(): { readonly one: () => Database; readonly several: () => Database } {
  const one = databaseForAllTests();
  let three: ThreeServers;
  let several: Database;

  beforeAll(async () => {
    three = await startThreeServers();
    const { home } = await three.createDivided();
    several = await openDatabase({ url: home }, { logger: pino({ enabled: false }) });
  }, 120_000);

  afterAll(async () => {
    await several.close();
    await three.stop();
  });

  return { one: () => one.database, several: () => several };
}
