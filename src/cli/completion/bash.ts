import type { CompletedCommand, CompletedValue } from './completed-commands.js';
import { optionsByValue, twoWordCommands, valueOptions } from './script-parts.js';

/** The completion script for bash, 3.2 included; it needs no other package. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# bash completion of recon: source this file, or put it into the folder of your completions.

_recon() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= skip= word i
  local IFS=$'\\n'
  COMPREPLY=()
  # The command: the words before the cursor that are neither options nor their values.
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in
      ${valueOptions(commands).join('|')}) skip=1 ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then command=$word
        else
          case "$command $word" in
            ${twoWordCommands(commands)
              .map((path) => `"${path}"`)
              .join('|')}) command="$command $word" ;;
          esac
        fi ;;
    esac
  done
  case "$command:$prev" in
${optionsByValue(commands)
  .map(({ places, value }) => `    ${places.map(pattern).join('|')}) ${reply(value)}; return ;;`)
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

/** `*:--severity` or `"runs":--status` */
const pattern = ({ path, option }: { path: string; option: string }) =>
  `${path === '*' ? '*' : quoted(path)}:${option}`;

/** The words are separated by line feeds, as IFS says. */
const words = (list: readonly string[]) => `COMPREPLY=($(compgen -W $'${list.join('\\n')}' -- "$cur"))`;

function reply(value: CompletedValue): string {
  if (value === 'file') return 'COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null';
  return typeof value === 'string' ? ':' : words(value);
}
