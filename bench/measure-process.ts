import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What a whole process cost. CPU and memory are read from /proc and null where there is none. */
export interface ProcessCost {
  readonly exitCode: number;
  readonly elapsedMs: number;
  readonly cpuMs: number | null;
  readonly peakBytes: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end and measures it from outside, so the measuring costs it nothing. */
export async function measureProcess(
  command: string,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<ProcessCost> {
  const started = process.hrtime.bigint();
  const child = spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  let last: { cpuMs: number; peakBytes: number } | null = null;
  const poll = setInterval(() => (last = readProc(child.pid) ?? last), 50);
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

function readProc(pid: number | undefined): { cpuMs: number; peakBytes: number } | null {
  try {
    const fields =
      readFileSync(`/proc/${pid ?? 0}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? [];
    const ticks = Number(fields[11]) + Number(fields[12]);
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'utf8'));
    return { cpuMs: ticks * 10, peakBytes: Number(peak?.[1] ?? 0) * 1024 };
  } catch {
    return null;
  }
}
