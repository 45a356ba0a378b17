import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startBenchServer, type BenchServer } from '../bench-server.js';
import type { Dataset } from '../generate.js';
import { createDivided } from '../measure-shards.js';
import { countRecon } from './counted-recon.js';
import { restartCounted } from './counted-server.js';
import type { InstructionCounter } from './instruction-counter.js';

const database = 'divided';

/**
 * Counts a run with this many shards; 0: everything is on one server. The payments are imported before, and not
 * counted.
 */
export async function countShards(
  counter: InstructionCounter,
  shards: number,
  day: Dataset,
  directory: string,
): Promise<Record<'recon' | 'home server' | 'shards', number>> {
  const folder = path.join(directory, `counted-${shards}-${day.rows}`);
  const startServer = async (name: string): Promise<BenchServer> => {
    mkdirSync(path.join(folder, name), { recursive: true });
    return startBenchServer(path.join(folder, name));
  };
  const restart = (server: BenchServer, name: string) =>
    restartCounted(server, path.join(folder, name), database, counter);
  const home = await startServer('home');
  const names = Array.from({ length: shards }, (_, index) => `shard-${index + 1}`);
  const servers: BenchServer[] = [];
  for (const name of names) servers.push(await startServer(name));
  const places = await createDivided(home, servers, database);
  await home.recon(database, ['payments', 'import', day.paymentsFile]);

  const countedHome = await restart(home, 'home');
  const counted = [];
  for (const [index, { server }] of places.entries()) counted.push(await restart(server, names[index] ?? ''));
  const recon = await countRecon(counter, ['run', '--file', day.settlementFile, '--as-of', '2026-11-20'], {
    databaseUrl: home.url(database),
    dataDirectory: path.join(folder, 'data'),
  });
  const ofHome = await countedHome.stop();
  let ofShards = 0;
  for (const each of counted) ofShards += await each.stop();
  for (const { relay } of places) relay.close();
  rmSync(folder, { recursive: true });
  return { recon, 'home server': ofHome, shards: ofShards };
}
