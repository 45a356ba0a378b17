import { exitCodeGuide } from '../error-guide.js';
import { exitCodes } from '../errors.js';
import { packageFile } from '../package-files.js';

/* What the help of every command and the hint below a mistake have in common. */

/** What to do about a mistake in a command line. */
export const helpAdvice = (command: string) => `\`${command} --help\` shows how it is used.`;

/** The same below a mistake that the parser finds. */
export const helpHint = (command: string) => `${helpAdvice(command)} (USAGE_INVALID)`;

/** The command of a hint or help that the parser prints: its error does not say in which command the mistake is. */
export const commandOfHint = (text: string) =>
  /^(?:`|Usage: )(recon(?: [a-z-]+)*?)(?: --help` shows | \[)/.exec(text)?.[1];

/** Where the documentation of this installation begins. */
export const documentationHelp = () => `Documentation:\n  man recon\n  ${packageFile('README.md')}`;

// The keys of the literal; Object.keys loses their type.
const exitNames = Object.keys(exitCodes) as (keyof typeof exitCodes)[];

/**
 * The exit codes of a command and their meanings.
 *
 * @param specific those that not every command has
 * @param meanings where a code means something else for this command
 */
export function exitCodeHelp(
  specific: readonly number[],
  meanings: Readonly<Record<number, string>> = {},
): string {
  const always = [
    exitCodes.done,
    exitCodes.usage,
    exitCodes.defect,
    exitCodes.interrupted,
    exitCodes.terminated,
  ];
  const lines = exitNames
    .filter((name) => [...always, ...specific].includes(exitCodes[name]))
    .map((name) => {
      const code = exitCodes[name];
      return `  ${String(code).padEnd(9)}${meanings[code] ?? exitCodeGuide[name].short}`;
    });
  return ['Exit codes:', ...lines].join('\n');
}
