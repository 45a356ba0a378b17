import path from 'node:path';
import { measureProcess } from './measure-process.js';

/** How long a user waits for `recon --help`: the best of five, because other work can only make it slower. */
export async function measureStart(): Promise<number> {
  let best = Infinity;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const cost = await measureProcess(process.execPath, [path.resolve('dist/cli/main.js'), '--help'], {});
    best = Math.min(best, cost.elapsedMs);
  }
  return best;
}
