import type { CompletedCommand, CompletedValue } from './completed-commands.js';

/** Every option that takes a value, so that a script can tell its value from a command. */
export function valueOptions(commands: readonly CompletedCommand[]): string[] {
  const names = commands.flatMap(({ options }) =>
    options.filter(({ value }) => value !== 'none').map(({ name }) => name),
  );
  return [...new Set(names)].sort();
}

/**
 * Code of bash and zsh that sets `command` to the command before the cursor: the words that are neither options nor
 * their values.
 *
 * @param range the places of these words, as the condition of a loop over `i`
 */
export function findCommand(commands: readonly CompletedCommand[], range: string, word: string): string {
  const twoWords = twoWordCommands(commands).map((path) => `"${path}"`);
  return `  # The command: the words before the cursor that are neither options nor their values.
  for ((${range}; i++)); do
    word=${word}
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in
      ${valueOptions(commands).join('|')}) skip=1 ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then command=$word
        else
          case "$command $word" in
            ${twoWords.join('|')}) command="$command $word" ;;
          esac
        fi ;;
    esac
  done`;
}

/** What stands before the cursor, as a pattern of bash and zsh: `*:--severity` or `"runs":--status`. */
export const placePattern = ({ path, option }: Place): string =>
  `${path === '*' ? '*' : `"${path}"`}:${option}`;

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
