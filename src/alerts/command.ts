import { spawn } from 'node:child_process';
import { sendTimeoutMs, type Channel } from './channel.js';

/**
 * Runs a program, without a shell, with one alert as JSON on its standard input. It gets a small environment: that of
 * recon may contain passwords.
 */
export function commandChannel(
  [program = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Channel {
  return {
    name: 'command',
    isBatch: false,
    send: async (messages) => {
      for (const { id, alert } of messages) {
        await runProgram(program, args, environment, `${JSON.stringify({ id, ...alert })}\n`);
      }
    },
  };
}

function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], env: { ...env } });
    const timer = setTimeout(() => child.kill('SIGKILL'), sendTimeoutMs);
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new Error(`the program could not be started (${error.code ?? 'unknown error'})`));
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
