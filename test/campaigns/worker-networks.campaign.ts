import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startCountingRelay } from '../../bench/counting-relay.js';
import type { Installation } from '../cli/installation.js';
import { untilStopped } from '../faults/stopped-process.js';
import { seenOf } from '../run/overlapping-files.js';
import { startCli, watchCli, type WatchedCli } from '../support/cli.js';
import { reportCounts } from '../support/campaign.js';
import { all, needs, type Need } from '../support/needs.js';
import { nightAlone, nightForWorkers, runNight } from '../worker/worker-scene.js';

/**
 * Workers in network namespaces, as on other machines: their packets are delayed, or vanish without an answer, also
 * between the last row and the commit of a file. Needs root, and `ip` and `tc` of iproute2.
 */
const ip = (...args: string[]) => spawnSync('ip', args, { encoding: 'utf8' });

const namespaces = (): Need => {
  const name = `recon-try-${process.pid}`;
  const isMet = ip('netns', 'add', name).status === 0;
  ip('netns', 'del', name);
  return {
    isMet,
    orSkipped: { meta: { skippedBecause: 'no network namespace can be made here (root, iproute2)' } },
  };
};
const need = all(needs.program('ip'), needs.program('tc'), namespaces());
if (!need.isMet) process.stdout.write(`worker networks: skipped: ${need.orSkipped.meta.skippedBecause}\n`);

test.skipIf(!need.isMet)(
  'three workers on other networks: one is slow, one is cut off before its commit, one before its first row',
  async () => {
    const installation = await nightForWorkers();
    const networks = await Promise.all([1, 2, 3].map((number) => openNetwork(installation, number)));
    const [slow, cut, early] = networks;
    if (slow === undefined || cut === undefined || early === undefined) throw new Error('three were made');
    const delayedBy = slow.delay();
    const workers = [
      await startIn(slow, installation),
      await startIn(cut, installation, 'copy.after:1:stop'),
      await startIn(early, installation, 'worker.claimed:1:stop'),
    ] as const;
    const running = runNight(installation);
    await Promise.all([untilStopped(workers[1]), untilStopped(workers[2])]);
    for (const network of [cut, early]) network.link('down');
    // They go on, and nobody hears them.
    for (const worker of [workers[1], workers[2]]) worker.kill('SIGCONT');
    const beganMs = Date.now();
    const { code, stderr } = await running;
    const elapsedMs = Date.now() - beganMs;
    expect(code, stderr).toBe(1);
    const alone = await nightAlone();
    expect(await seenOf(installation)).toEqual(alone);
    for (const network of [cut, early]) network.link('up');
    // What they kept sending arrives now, and is refused.
    await untilSeenAgain(installation, workers);
    expect(await seenOf(installation)).toEqual(alone);
    for (const worker of workers) worker.kill('SIGTERM');
    const ended = await Promise.all(workers.map((worker) => worker.ended));
    expect(ended.map(({ code }) => code)).toEqual([143, 143, 143]);
    const [onSlow, onCut, onEarly] = ended.map((each) => each.stderr);
    expect(onCut).toContain('Somebody else loads this file now');
    expect(onEarly).toContain('Somebody else loads this file now');
    expect((await installation.database.database.sql`select id from workers`).count).toBe(0);
    reportCounts(`worker networks, delay by ${delayedBy}`, {
      'ms from the cut to the end of the run': elapsedMs,
      'files of the slow worker': onSlow?.match(/"msg":"file loaded"/g)?.length ?? 0,
    });
  },
);

interface Network {
  readonly name: string;
  /** The database, as seen from there. */
  readonly url: string;
  link(state: 'up' | 'down'): void;
  /** Returns how: netem is not in every kernel, and a narrow link makes packets wait too. */
  delay(): 'netem' | 'a narrow link' | 'nothing';
}

/** A namespace with one link to here, where a relay passes its connections to the server of the tests. */
async function openNetwork({ database }: Installation, number: number): Promise<Network> {
  const name = `recon-${process.pid}-${number}`;
  const [outer, inner] = [`rw${process.pid % 100_000}o${number}`, `rw${process.pid % 100_000}i${number}`];
  const net = `10.213.${number}`;
  const steps = [
    ['netns', 'add', name],
    ['link', 'add', outer, 'type', 'veth', 'peer', 'name', inner],
    ['link', 'set', inner, 'netns', name],
    ['addr', 'add', `${net}.1/30`, 'dev', outer],
    ['link', 'set', outer, 'up'],
    ['-n', name, 'addr', 'add', `${net}.2/30`, 'dev', inner],
    ['-n', name, 'link', 'set', inner, 'up'],
    ['-n', name, 'link', 'set', 'lo', 'up'],
  ];
  onTestFinished(() => {
    ip('link', 'del', outer);
    ip('netns', 'del', name);
  });
  for (const step of steps) {
    const { status, stderr } = ip(...step);
    if (status !== 0) throw new Error(`ip ${step.join(' ')}: ${stderr}`);
  }
  const relay = await startCountingRelay(database.url, `${net}.1`);
  onTestFinished(() => relay.close());
  const shape = (...how: string[]) =>
    spawnSync('tc', ['qdisc', 'add', 'dev', outer, 'root', ...how]).status === 0;
  return {
    name,
    url: relay.url,
    link: (state) => void ip('link', 'set', outer, state),
    delay: () => {
      if (shape('netem', 'delay', '20ms', '5ms')) return 'netem';
      if (shape('tbf', 'rate', '1mbit', 'burst', '32kbit', 'latency', '400ms')) return 'a narrow link';
      return 'nothing';
    },
  };
}

async function startIn(
  network: Network,
  { directory, environment, database }: Installation,
  failAt?: string,
): Promise<WatchedCli> {
  const env = {
    ...environment,
    RECON_DATABASE_URL: network.url,
    ...(failAt === undefined ? {} : { RECON_FAIL_AT: failAt }),
  };
  const through = ['ip', 'netns', 'exec', network.name];
  const worker = watchCli(startCli(['worker'], { env, cwd: directory, through }), 180_000);
  onTestFinished(() => worker.kill('SIGKILL'));
  const ended = worker.ended.then(({ stderr }) => {
    throw new Error(`the worker ended: ${stderr}`);
  });
  ended.catch(() => undefined);
  while ((await database.database.sql`select from workers where process_id = ${worker.pid}`).count === 0)
    await Promise.race([sleep(50), ended]);
  return worker;
}

async function untilSeenAgain(
  { database: { database } }: Installation,
  workers: readonly WatchedCli[],
): Promise<void> {
  const pids = workers.map(({ pid }) => pid);
  const [now] = await database.sql<{ now: string }[]>`select clock_timestamp()::text as now`;
  for (;;) {
    const seen = await database.sql`
      select from workers where process_id in ${database.sql(pids)} and seen_at > ${now?.now ?? ''}::timestamptz`;
    if (seen.count === pids.length) return;
    await sleep(200);
  }
}
