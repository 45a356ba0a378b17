import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { processTimes } from '../measure-process.js';

/** A server in a separate process. */
export interface ServedProcess {
  readonly url: string;
  readonly processId: number;
  /** CPU time so far; null where there is no /proc. */
  cpuMs(): number | null;
  stop(): Promise<void>;
}

/**
 * Starts a server whose first line on standard output is a JSON document with its address.
 *
 * @param log a file descriptor for its log; without it, the log goes where it costs nothing
 */
export async function startServed(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  log: 'ignore' | number = 'ignore',
): Promise<ServedProcess> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('RECON_'));
  const child = spawn(process.execPath, args, {
    env: { ...Object.fromEntries(others), ...environment },
    stdio: ['ignore', 'pipe', log],
  });
  const url = await firstLine(child, args);
  return {
    url,
    processId: child.pid ?? 0,
    cpuMs: () => processTimes(child.pid ?? 0)?.cpuMs ?? null,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function firstLine(child: ChildProcess, args: readonly string[]): Promise<string> {
  if (child.stdout === null) throw new Error('standard output is not piped');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => {
      throw new Error(`${args.join(' ')} ended before it listened`);
    }),
  ])) as [string];
  lines.resume();
  return (JSON.parse(line) as { url: string }).url;
}
