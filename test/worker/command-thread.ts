import { parentPort } from 'node:worker_threads';
import { runProgram } from '../../src/cli/program.js';
import { armFailPoint, type FailPoint } from '../../src/fail-point.js';
import { Collector } from '../cli/recon.js';

/**
 * A thread that runs commands as a process would, one after the other: it pauses at fail points while the other
 * threads go on, or it ends there without any clean-up, and then its connections are closed as those of a killed
 * process are. A thread loads the program once; a process does so at each start, which takes a second.
 */

/** Where a command pauses for some time. One follows the other. */
export interface Pause {
  readonly point: FailPoint;
  /** Counted since the pause before. */
  readonly passed: number;
  /** Null ends the thread. */
  readonly ms: number | null;
}

/** What a thread is asked to do. */
export type Order =
  | {
      readonly args: readonly string[];
      readonly cwd: string;
      readonly environment: Readonly<Record<string, string>>;
      readonly pauses: readonly Pause[];
      /** How far the clock of the thread is ahead. */
      readonly clockHours?: number;
    }
  | 'stop';

/** How a command ended. */
export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly pauses: number;
}

const still = new Int32Array(new SharedArrayBuffer(4));
const realKill = process.kill.bind(process);
let pauses: readonly Pause[] = [];
let taken = 0;
let stop = new AbortController();

const RealDate = Date;
let aheadMs = 0;
// A thread has globals that no other thread sees.
globalThis.Date = new Proxy(RealDate, {
  construct: (_target, given: unknown[]) =>
    given.length === 0
      ? new RealDate(RealDate.now() + aheadMs)
      : (Reflect.construct(RealDate, given) as object),
  get: (target, name, receiver) =>
    name === 'now' ? () => RealDate.now() + aheadMs : (Reflect.get(target, name, receiver) as unknown),
});

const armNext = () => {
  const next = pauses[taken];
  armFailPoint(next === undefined ? undefined : `${next.point}:${next.passed}:stop`);
};

process.kill = (processId, signal) => {
  if (signal !== 'SIGSTOP') return realKill(processId, signal);
  const ms = pauses[taken]?.ms ?? null;
  taken += 1;
  // Ends this thread, not the process.
  if (ms === null) process.exit(0);
  Atomics.wait(still, 0, 0, ms);
  armNext();
  return true;
};

parentPort?.on('message', (order: Order) => {
  if (order === 'stop') stop.abort();
  else void run(order);
});

async function run({ args, cwd, environment, ...order }: Exclude<Order, 'stop'>): Promise<void> {
  stop = new AbortController();
  pauses = order.pauses;
  taken = 0;
  aheadMs = (order.clockHours ?? 0) * 3_600_000;
  const [stdout, stderr] = [new Collector(), new Collector()];
  const [first] = pauses;
  // The command arms the first, and this module those after it.
  const failAt = first === undefined ? {} : { RECON_FAIL_AT: `${first.point}:${first.passed}:stop` };
  const code = await runProgram(args, {
    stdout,
    stderr,
    cwd,
    environment: { ...environment, ...failAt },
    signal: stop.signal,
  });
  const answer: Answer = { code, stdout: stdout.text, stderr: stderr.text, pauses: taken };
  parentPort?.postMessage(answer);
}
