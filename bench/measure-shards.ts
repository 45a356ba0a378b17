import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startBenchServer, type BenchServer, type CommandCost } from './bench-server.js';
import { startCountingRelay, type CountingRelay } from './counting-relay.js';
import type { Dataset } from './generate.js';
import type { StageTimes } from './native-pipeline.js';
import { stagesOf } from './measure-run.js';

/** What one command cost, and where. CPU times are null where there is no /proc. */
export interface DividedCost {
  readonly elapsedMs: number;
  readonly reconCpuMs: number | null;
  readonly homeCpuMs: number | null;
  /** Of all shards together. */
  readonly shardsCpuMs: number | null;
  /** Between recon and the home server. */
  readonly clientBytes: Traffic;
  /** Between the home server and all shards. */
  readonly shardBytes: Traffic;
}

export interface Traffic {
  readonly to: number;
  readonly from: number;
}

/** An import and a run with this many shards; 0: everything is on one server. */
export interface ShardsMeasurement {
  readonly shards: number;
  readonly rows: number;
  readonly payments: number;
  readonly import: DividedCost;
  readonly run: DividedCost & { readonly stages: StageTimes };
}

/** A shard, which the home server reaches through a relay. */
export interface Place {
  readonly server: BenchServer;
  readonly relay: CountingRelay;
}

/**
 * Imports the same payments and runs the same file with different numbers of shards, on this machine. What it shows is
 * the work of each server and what crosses the network: on one machine, shards share its processors and cannot be
 * faster.
 */
export async function measureShards(
  home: BenchServer,
  counts: readonly number[],
  day: Dataset,
  directory: string,
): Promise<ShardsMeasurement[]> {
  const servers: BenchServer[] = [];
  const measured: ShardsMeasurement[] = [];
  try {
    while (servers.length < Math.max(...counts)) {
      const folder = path.join(directory, `shard-${servers.length + 1}`);
      mkdirSync(folder, { recursive: true });
      servers.push(await startBenchServer(folder));
    }
    for (const count of counts) {
      measured.push(await measureDivided(home, servers.slice(0, count), day));
      rmSync(path.join(directory, databaseOf(count)), { recursive: true, force: true });
    }
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
  return measured;
}

const databaseOf = (shards: number) => `shards_${shards}`;

async function measureDivided(
  home: BenchServer,
  servers: readonly BenchServer[],
  day: Dataset,
): Promise<ShardsMeasurement> {
  const database = databaseOf(servers.length);
  const places = await createDivided(home, servers, database);
  const relay = await startCountingRelay(home.url(database));
  const measure = async (args: readonly string[]) => {
    const before = { client: trafficOf([relay]), shards: trafficOf(places.map((place) => place.relay)) };
    const cpuBefore = cpuOf(servers);
    const cost = await home.recon(database, args, relay.url);
    const cpuAfter = cpuOf(servers);
    return {
      cost,
      divided: dividedCost(cost, cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore, {
        client: difference(trafficOf([relay]), before.client),
        shards: difference(trafficOf(places.map((place) => place.relay)), before.shards),
      }),
    };
  };
  const imported = await measure(['payments', 'import', day.paymentsFile]);
  const run = await measure(['run', '--file', day.settlementFile, '--as-of', '2026-11-20']);
  relay.close();
  for (const place of places) {
    place.relay.close();
    await place.server.drop(database);
  }
  await home.drop(database);
  return {
    shards: servers.length,
    rows: day.rows,
    payments: day.payments,
    import: imported.divided,
    run: { ...run.divided, stages: stagesOf(run.cost.stderr) },
  };
}

/**
 * Creates a database whose payments, records and results are divided over the servers; without any, an ordinary one.
 */
export async function createDivided(
  home: BenchServer,
  servers: readonly BenchServer[],
  database: string,
): Promise<Place[]> {
  await home.create(database);
  const places: Place[] = [];
  for (const [index, server] of servers.entries()) {
    await server.create(database);
    const place = { server, relay: await startCountingRelay(server.url(database)) };
    await home.recon(database, ['shards', 'add', '--name', `s${index + 1}`, '--url', place.relay.url]);
    places.push(place);
  }
  return places;
}

function dividedCost(
  cost: CommandCost,
  shardsCpuMs: number | null,
  bytes: { readonly client: Traffic; readonly shards: Traffic },
): DividedCost {
  return {
    elapsedMs: cost.elapsedMs,
    reconCpuMs: cost.cpuMs,
    homeCpuMs: cost.serverCpuMs,
    shardsCpuMs,
    clientBytes: bytes.client,
    shardBytes: bytes.shards,
  };
}

function cpuOf(servers: readonly BenchServer[]): number | null {
  return servers.reduce<number | null>((sum, server) => {
    const ms = server.cpuMs();
    return sum === null || ms === null ? null : sum + ms;
  }, 0);
}

function trafficOf(relays: readonly CountingRelay[]): Traffic {
  const add = (bytes: (relay: CountingRelay) => number) =>
    relays.reduce((sum, relay) => sum + bytes(relay), 0);
  return { to: add((relay) => relay.toServer()), from: add((relay) => relay.fromServer()) };
}

const difference = (after: Traffic, before: Traffic): Traffic => ({
  to: after.to - before.to,
  from: after.from - before.from,
});
