import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { paymentsFile, settlementFile, type Cells } from '../../scripts/fixtures/story.js';
import { installationOf, type StoryInstallation } from './run-stories.js';
import { startShardProxy } from './shard-proxy.js';
import { startThreeServers } from './three-servers.js';

/** Files of payments and of settlements that a test wrote. */
export interface Files {
  readonly payments: string;
  readonly settlements: string;
}

/** An installation with two shards that counts what the home server sends to the second one. */
export interface Counted extends StoryInstallation {
  /** How often the second shard is asked while a command runs, which must succeed. */
  readonly tripsOf: (...args: readonly string[]) => Promise<number>;
  readonly close: () => void;
}

/** The servers and files of a test file that counts. */
export interface Counting {
  installation(): Promise<Counted>;
  writeFiles(payments: readonly Cells[], rows: readonly Cells[]): Files;
  stop(): Promise<void>;
}

export async function startCounting(): Promise<Counting> {
  const three = await startThreeServers();
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-round-trips-'));
  let folders = 0;
  const folder = () => path.join(directory, `data-${(folders += 1)}`);
  return {
    installation: async () => {
      const { home, a, b } = await three.create();
      const port = three.servers[2]?.port ?? 0;
      let trips = 0;
      const proxy = await startShardProxy(port, () => {
        trips += 1;
        return 'pass';
      });
      const addressOfB = b.replace(`:${port}/`, `:${proxy.port}/`);
      const installation = installationOf('demo', home, folder());
      const { command } = installation;
      for (const [name, url] of Object.entries({ a, b: addressOfB }))
        expect((await command('shards', 'add', '--name', name, '--url', url)).code).toBe(0);
      const tripsOf = async (...args: readonly string[]) => {
        trips = 0;
        expect(await command(...args)).toMatchObject({ code: 0 });
        return trips;
      };
      return { ...installation, tripsOf, close: () => proxy.close() };
    },
    writeFiles: (payments, rows) => {
      const place = folder();
      mkdirSync(place, { recursive: true });
      const files = {
        payments: path.join(place, 'payments.csv'),
        settlements: path.join(place, 'settlements.csv'),
      };
      writeFileSync(files.payments, paymentsFile(payments));
      writeFileSync(files.settlements, settlementFile(rows));
      return files;
    },
    stop: async () => {
      await three.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
