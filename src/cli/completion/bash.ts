import type { CompletedCommand, CompletedValue } from './completed-commands.js';
import { findCommand, optionsByValue, placePattern } from './script-parts.js';

/** The completion script for bash, 3.2 included; it needs no other package. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# bash completion of recon: source this file, or put it into the folder of your completions.

_recon() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= skip= word i
  local IFS=$'\\n'
  COMPREPLY=()
${findCommand(commands, 'i = 1; i < COMP_CWORD', '${COMP_WORDS[i]}')}
  case "$command:$prev" in
${optionsByValue(commands)
  .map(({ places, value }) => `    ${places.map(placePattern).join('|')}) ${reply(value)}; return ;;`)
  .join('\n')}
  esac
  case "$command:$cur" in
${commands.map((command) => `    ${quoted(command.path)}:-*) ${words(command.options.map(({ name }) => name))} ;;`).join('\n')}
${commands
  .map((command) => {
    const subcommands = command.subcommands.map(({ name }) => name);
    return `    ${quoted(command.path)}:*) ${subcommands.length > 0 ? words(subcommands) : reply(command.argument)} ;;`;
  })
  .join('\n')}
  esac
}

complete -F _recon recon
`;
}

const quoted = (text: string) => `"${text}"`;

/** The words are separated by line feeds, as IFS says. */
const words = (list: readonly string[]) => `COMPREPLY=($(compgen -W $'${list.join('\\n')}' -- "$cur"))`;

function reply(value: CompletedValue): string {
  if (value === 'file') return 'COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null';
  return typeof value === 'string' ? ':' : words(value);
}
