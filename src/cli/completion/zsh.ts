import type { CompletedCommand, CompletedOption, CompletedValue } from './completed-commands.js';
import { findCommand, optionsByValue, placePattern, shellQuoted } from './script-parts.js';

/** The completion script for zsh: a file named `_recon` in a folder of `fpath`, or to be sourced after `compinit`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef recon
# zsh completion of recon: put it into a folder of fpath as _recon, or source it after compinit.

_recon() {
  local command= skip= word i
  local -a candidates
${findCommand(commands, 'i = 2; i < CURRENT', '${words[i]}')}
  case "$command:\${words[CURRENT-1]}" in
${optionsByValue(commands)
  .map(({ places, value }) => `    ${places.map(placePattern).join('|')}) ${reply(value)}; return ;;`)
  .join('\n')}
  esac
  case "$command:\${words[CURRENT]}" in
${commands.map((command) => `    "${command.path}":-*) ${described('option', command.options)} ;;`).join('\n')}
${commands
  .map(({ path, subcommands, argument }) => {
    const rest = subcommands.length > 0 ? described('command', subcommands) : reply(argument);
    return `    "${path}":*) ${rest} ;;`;
  })
  .join('\n')}
  esac
}

if [[ $funcstack[1] == _recon ]]; then _recon "$@"; else compdef _recon recon; fi
`;
}

type Described = { readonly name: string; readonly summary: string } | CompletedOption;

function described(what: 'command' | 'option', entries: readonly Described[]): string {
  const candidates = entries.map((entry) =>
    shellQuoted(`${entry.name}:${'summary' in entry ? entry.summary : entry.description}`),
  );
  return `candidates=(${candidates.join(' ')}); _describe${what === 'option' ? ' -o' : ''} ${what} candidates`;
}

function reply(value: CompletedValue): string {
  if (value === 'file') return '_files';
  if (typeof value === 'string') return ':';
  // A colon would end the word.
  const words = value.map((word) => shellQuoted(word.replaceAll(':', '\\:')));
  return `candidates=(${words.join(' ')}); _describe value candidates`;
}
