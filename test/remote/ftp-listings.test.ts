import { afterEach, beforeEach, expect, test } from 'vitest';
import { FetchWorld } from '../support/fetch-world.js';
import {
  startScriptedFtpServer,
  type ScriptedFtpOptions,
  type ScriptedFtpServer,
} from '../support/scripted-ftp-server.js';

/** Listings as servers of other makes send them. */

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

const files = {
  'a.csv': Buffer.from('a'.repeat(1000)),
  'b.csv': Buffer.from('b'),
  'empty.csv': Buffer.alloc(0),
};

async function serve(options: Partial<ScriptedFtpOptions>): Promise<ScriptedFtpServer> {
  return world.closing(await startScriptedFtpServer({ files, ...options }));
}

const fetch = async (options: Partial<ScriptedFtpOptions>) =>
  (await world.fetchAll(world.ftp(await serve(options)))).files;

test('a server that takes the option -a for the name of a folder, and lists nothing, is read', async () => {
  const listing = (argument: string) =>
    argument === '-a' ? [] : ['-rw-r--r-- 1 a a 1000 Jan 1 2026 a.csv\r\n'];
  expect(await fetch({ listing })).toEqual(['a.csv: received']);
});
