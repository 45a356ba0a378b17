import type { CommandDefinition } from '../command-definition.js';
import { globalOptions } from '../global-options.js';
import { valuesOf } from './option-values.js';

/** What may follow an option: nothing, a local file, a text that no shell can guess, or one of a few words. */
export type CompletedValue = 'none' | 'file' | 'text' | readonly string[];

/** An option that a shell completes. */
export interface CompletedOption {
  /** `--source` */
  readonly name: string;
  readonly description: string;
  readonly value: CompletedValue;
}

/** A command, or a group of commands, that a shell completes. */
export interface CompletedCommand {
  /** `payments import`; empty for the program itself. */
  readonly path: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** Words that may follow: `import` after `payments`. */
  readonly subcommands: readonly { readonly name: string; readonly summary: string }[];
  /** What its argument is. */
  readonly argument: CompletedValue;
}

/** What a shell can complete: the program, its groups and its commands, from the data of the commands. */
export function completedCommands(commands: readonly CommandDefinition[]): readonly CompletedCommand[] {
  const paths = commands.map(({ name }) => pathOf(name));
  const groups = [...new Set(paths.filter((path) => path.includes(' ')).map(firstWord))].filter(
    (group) => !paths.includes(group),
  );
  const below = (path: string) =>
    commands
      .filter(({ name }) => parentOf(pathOf(name)) === path)
      .map(({ name, summary }) => ({ name: lastWord(pathOf(name)), summary }));
  const general = [
    ...globalOptions.map(({ flags, description, choices }) => optionOf('', flags, description, choices)),
    optionOf('', '--help', 'print help, with examples'),
  ];
  const group = (path: string): CompletedCommand => ({
    path,
    summary: below(path)
      .map(({ name }) => name)
      .join(', '),
    options: general,
    subcommands: below(path),
    argument: 'none',
  });
  const top = group('');
  return [
    {
      ...top,
      options: [...general, optionOf('', '--version', 'print the version')],
      subcommands: [
        ...top.subcommands,
        ...groups.map((name) => ({ name, summary: group(name).summary })),
      ].sort((a, b) => (a.name < b.name ? -1 : 1)),
    },
    ...groups.map(group),
    ...commands.map(({ name, summary, options = [] }) => ({
      path: pathOf(name),
      summary,
      options: [
        ...options.map(([flags, description]) => optionOf(pathOf(name), flags, description)),
        ...general,
      ],
      subcommands: below(pathOf(name)),
      argument: argumentOf(name),
    })),
  ];
}

/** `payments import` of `payments import <file>`. */
const pathOf = (name: string) =>
  name
    .split(' ')
    .filter((word) => /^[a-z]/.test(word))
    .join(' ');
const firstWord = (path: string) => path.split(' ')[0] ?? '';
const lastWord = (path: string) => path.split(' ').at(-1) ?? '';
const parentOf = (path: string) => path.split(' ').slice(0, -1).join(' ');

/** Commands whose argument is a local file; the FILE of others is a name that recon has stored. */
const takeLocalFiles = /^payments (import|export) /;

function argumentOf(name: string): CompletedValue {
  if (takeLocalFiles.test(name)) return 'file';
  return valuesOf(pathOf(name), '') ?? (/[<[]/.test(name) ? 'text' : 'none');
}

function optionOf(
  path: string,
  flags: string,
  description: string,
  choices?: readonly string[],
): CompletedOption {
  const [name = '', placeholder] = flags.split(' ');
  return { name, description, value: choices ?? valueOf(path, name, placeholder) };
}

function valueOf(path: string, name: string, placeholder: string | undefined): CompletedValue {
  if (placeholder === undefined) return 'none';
  if (/^<(file|path|sheet)>$/.test(placeholder)) return 'file';
  return valuesOf(path, name) ?? 'text';
}
