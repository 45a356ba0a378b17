import path from 'node:path';
import type { CountedProcess, InstructionCounter } from './instruction-counter.js';

/** Starts a `recon` command under the counter. */
export function startCountedRecon(
  counter: InstructionCounter,
  args: readonly string[],
  environment: { readonly databaseUrl: string; readonly dataDirectory: string },
): CountedProcess {
  const { PATH = '', HOME = '' } = process.env;
  const stretchWaits = path.resolve('bench/instructions/stretch-waits.mjs');
  return counter.start([process.execPath, path.resolve('dist/cli/main.js'), ...args], {
    kind: 'program',
    env: {
      PATH,
      HOME,
      RECON_DATABASE_URL: environment.databaseUrl,
      RECON_DATA_DIR: environment.dataDirectory,
      RECON_BENCH_STRETCH: `${counter.slowdown}`,
      NODE_OPTIONS: `--import ${stretchWaits}`,
    },
  });
}

/** @throws when it ends with more than 1 (done, something was rejected) */
export async function countRecon(
  counter: InstructionCounter,
  args: readonly string[],
  environment: Parameters<typeof startCountedRecon>[2],
): Promise<number> {
  const started = startCountedRecon(counter, args, environment);
  const { code, output } = await started.ended;
  if (code === null || code > 1)
    throw new Error(`recon ${args.join(' ')} ended with ${code ?? ''}: ${output}`);
  return started.instructions();
}
