import { spawn } from 'node:child_process';
import { causeOf } from '../disk/disk-errors.js';
import { sendTimeoutMs, type Channel } from './channel.js';

/**
 * Runs a program, without a shell, with one alert as JSON on its standard input. It gets a small environment: that of
 * recon may contain passwords.
 *
 * @param timeoutMs after this time the program is ended
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
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], env: { ...env } });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new Error(`the program could not be started: ${causeOf(error)}`));
    });
    // `exit` and not `close`: a program that leaves something running in the background has ended.
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else
        reject(
          new Error(
            code === null ? `the program was ended by ${signal ?? ''}` : `the program exited with ${code}`,
          ),
        );
    });
    // A program that does not read its input is no failure.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
