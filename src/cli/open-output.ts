import type { GlobalOptions, OutputContext, Surroundings } from './command-context.js';
import { paintFor } from './text/paint.js';
import { printable } from './text/printable.js';

/** The context of a command that only prints. */
export function openOutput(surroundings: Surroundings, options: GlobalOptions): OutputContext {
  const { stdout, stderr } = surroundings;
  return {
    ...surroundings,
    options,
    print: (document, readable, problems = []) => {
      if (options.json) stdout.write(`${JSON.stringify(document)}\n`);
      else if (!options.quiet) stdout.write(`${readable(paintFor(stdout))}\n`);
      else stderr.write(problems.map((problem) => `recon: ${oneLine(problem)}\n`).join(''));
    },
    printResult: (document, text) => {
      stdout.write(options.json ? `${JSON.stringify(document)}\n` : `${text}\n`);
    },
    printLine: (line) => {
      if (!options.json && !options.quiet) stdout.write(`${line}\n`);
    },
  };
}

const oneLine = (text: string) => printable(text.replaceAll(/\s*\n\s*/g, ' '));
