import { spawn, type ChildProcess } from 'node:child_process';
import { causeOf } from '../disk/disk-errors.js';
import { sendTimeoutMs, type Channel } from './channel.js';

/**
 * Runs a program, without a shell, with one alert as JSON on its standard input. It gets a small environment: that of
 * recon may contain passwords.
 *
 * @param timeoutMs after this time the program is ended, and so is what it started in its process group
 */
export function commandChannel(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  timeoutMs = sendTimeoutMs,
): Channel {
  return {
    name: 'command',
    isBatch: false,
    send: async (messages) => {
      for (const { id, alert } of messages) {
        const input = `${JSON.stringify({ id, ...alert })}\n`;
        await runProgram(command, environment, input, timeoutMs);
      }
    },
  };
}

function runProgram(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string,
  timeoutMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // In a process group without recon, a script and what it started, such as curl, can be ended together.
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...env },
      detached: true,
    });
    let isOverdue = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      endGroupOf(child);
    }, timeoutMs);
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new Error(`the program could not be started: ${causeOf(error)}`));
    });
    // `exit` and not `close`: a program that leaves something running in the background has ended.
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else if (isOverdue) reject(new Error(`the program did not end within ${timeoutMs / 1000} s`));
      else if (code === null) reject(new Error(`the program was ended by ${signal ?? ''}`));
      else reject(new Error(`the program exited with ${code}`));
    });
    // A program that does not read its input is not a failure.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function endGroupOf(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has no process that may be ended; perhaps the program still is one.
    child.kill('SIGKILL');
  }
}
