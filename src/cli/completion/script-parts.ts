import type { CompletedCommand, CompletedValue } from './completed-commands.js';

/** Every option that takes a value, so that a script can tell its value from a command. */
export function valueOptions(commands: readonly CompletedCommand[]): string[] {
  const names = commands.flatMap(({ options }) =>
    options.filter(({ value }) => value !== 'none').map(({ name }) => name),
  );
  return [...new Set(names)].sort();
}

/** `files withdraw`, `payments import` … */
export const twoWordCommands = (commands: readonly CompletedCommand[]): string[] =>
  commands.map(({ path }) => path).filter((path) => path.includes(' '));

interface Place {
  /** A command, or `*` for all of them. */
  readonly path: string;
  readonly option: string;
}

/**
 * Which options take which values. An option that takes the same values in every command is listed once, for all of
 * them.
 */
export function optionsByValue(
  commands: readonly CompletedCommand[],
): { readonly value: CompletedValue; readonly places: readonly Place[] }[] {
  const byOption = new Map<string, Map<string, Place[]>>();
  for (const { path, options } of commands) {
    for (const { name, value } of options) {
      if (value === 'none') continue;
      const values = byOption.get(name) ?? new Map<string, Place[]>();
      const key = JSON.stringify(value);
      byOption.set(name, values.set(key, [...(values.get(key) ?? []), { path, option: name }]));
    }
  }
  const merged = new Map<string, Place[]>();
  for (const [option, values] of byOption) {
    for (const [key, places] of values) {
      const reduced = values.size === 1 ? [{ path: '*', option }] : places;
      merged.set(key, [...(merged.get(key) ?? []), ...reduced]);
    }
  }
  // The keys were written from values two statements above.
  return [...merged].map(([key, places]) => ({ value: JSON.parse(key) as CompletedValue, places }));
}

/** Quoted for bash, zsh and fish: an apostrophe ends the quotation. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
