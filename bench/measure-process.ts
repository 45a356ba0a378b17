import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What a whole process cost. CPU and memory are read from /proc, and are null on systems without it. */
export interface ProcessCost {
  readonly exitCode: number;
  readonly elapsedMs: number;
  readonly cpuMs: number | null;
  readonly peakBytes: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end and measures it from outside, so that measuring costs the command nothing. */
export async function measureProcess(
  command: string,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<ProcessCost> {
  const started = process.hrtime.bigint();
  const child = spawn(command, args, {
    // The settings of the developer's shell must not reach the program that is measured.
    env: { ...withoutReconSettings(process.env), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  let last: { cpuMs: number; peakBytes: number } | null = null;
  const poll = setInterval(() => {
    const times = processTimes(child.pid ?? 0);
    const peakBytes = peakOf(child.pid ?? 0);
    if (times !== null && peakBytes !== null) last = { cpuMs: times.cpuMs, peakBytes };
  }, 50);
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? -1));
  });
  clearInterval(poll);
  const cost = last as { cpuMs: number; peakBytes: number } | null;
  return {
    exitCode,
    elapsedMs: Number(process.hrtime.bigint() - started) / 1e6,
    cpuMs: cost?.cpuMs ?? null,
    peakBytes: cost?.peakBytes ?? null,
    ...output,
  };
}

/** CPU time of a process so far, and of its children that have ended. */
export function processTimes(processId: number): { cpuMs: number; endedChildrenCpuMs: number } | null {
  try {
    const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const ticks = (index: number) => Number(fields[index] ?? 0);
    return { cpuMs: (ticks(11) + ticks(12)) * 10, endedChildrenCpuMs: (ticks(13) + ticks(14)) * 10 };
  } catch {
    return null;
  }
}

function peakOf(processId: number): number | null {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'));
    return peak === null ? null : Number(peak[1]) * 1024;
  } catch {
    return null;
  }
}

function withoutReconSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('RECON_')));
}
