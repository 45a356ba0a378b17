/**
 * Makes the short waits of a program longer, by the factor RECON_BENCH_STRETCH. A program that runs 40 times slower
 * because its instructions are counted would otherwise look 40 times as often, for each row, whether something has
 * happened. Waits of a second or more stay: the database judges by them who is still there.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';

const factor = Number(process.env.RECON_BENCH_STRETCH);
const stretched = (ms) => (ms < 1000 ? ms * factor : ms);

for (const name of ['setTimeout', 'setInterval']) {
  const original = timers[name];
  timers[name] = Object.assign((done, ms, ...args) => original(done, stretched(ms), ...args), original);
  globalThis[name] = timers[name];
}
const { setTimeout: wait } = promises;
promises.setTimeout = (ms, ...args) => wait(stretched(ms), ...args);
syncBuiltinESMExports();
