import type { GlobalOptions, OutputContext, Surroundings } from './command-context.js';
import { paintFor } from './paint.js';

/** The context of a command that only prints. */
export function openOutput(surroundings: Surroundings, options: GlobalOptions): OutputContext {
  const { stdout } = surroundings;
  return {
    ...surroundings,
    options,
    print: (document, readable) => {
      if (options.json) stdout.write(`${JSON.stringify(document)}\n`);
      else if (!options.quiet) stdout.write(`${readable(paintFor(stdout))}\n`);
    },
    printLine: (line) => {
      if (!options.json && !options.quiet) stdout.write(`${line}\n`);
    },
  };
}
