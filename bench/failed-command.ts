import { readFileSync } from 'node:fs';
import type { ProcessCost } from './measure-process.js';

/** The end of a text: what a command said last. */
const tail = (text: string) => text.slice(-2000);

/**
 * Why a `recon` command failed. The error comes first: in the long outcome of a run it is near the beginning, and the
 * end of the output alone did not show it. The server's log is deleted with the bench's folder, so its last lines are
 * kept here.
 *
 * @param serverLog a file
 */
export function describeFailure(args: readonly string[], cost: ProcessCost, serverLog: string): string {
  return [
    `recon ${args.join(' ')} ended with ${cost.exitCode}: ${errorOf(cost.stdout) ?? errorOf(cost.stderr) ?? 'it named no error'}`,
    `stdout: ${tail(cost.stdout)}`,
    `stderr: ${tail(cost.stderr)}`,
    `server: ${tail(readLog(serverLog))}`,
  ].join('\n');
}

/** The `error` of the document that a command wrote as a separate line; null without one. */
function errorOf(output: string): string | null {
  for (const line of output.split('\n').reverse()) {
    if (!line.startsWith('{')) continue;
    try {
      const { error } = JSON.parse(line) as { readonly error?: unknown };
      if (error !== undefined && error !== null) return JSON.stringify(error);
    } catch {
      // A line that the command did not finish.
    }
  }
  return null;
}

function readLog(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
