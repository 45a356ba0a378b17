import type { CompletedCommand, CompletedOption } from './completed-commands.js';
import { twoWordCommands, valueOptions } from './script-parts.js';

/** The completion script for fish: `~/.config/fish/completions/recon.fish`. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# fish completion of recon: ~/.config/fish/completions/recon.fish

# Prints the command: the words before the cursor that are neither options nor their values.
function __recon_command
    set -l skip 0
    set -l command
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${valueOptions(commands).join(' ')}
                set skip 1
            case '-*'
            case '*'
                if test -z "$command"
                    set command $word
                else if contains -- "$command $word" ${twoWordCommands(commands).map(fishQuoted).join(' ')}
                    set command "$command $word"
                end
        end
    end
    echo "$command"
end

function __recon_is
    test (__recon_command) = "$argv[1]"
end

complete -c recon -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, subcommands, options, argument }: CompletedCommand): string[] {
  const start = `complete -c recon -n ${fishQuoted(`__recon_is "${path}"`)}`;
  return [
    ...subcommands.map(({ name, summary }) => `${start} -a ${name} -d ${fishQuoted(summary)}`),
    ...(argument === 'file' ? [`${start} -F`] : []),
    ...(typeof argument === 'string' ? [] : [`${start} -a ${fishQuoted(argument.join(' '))}`]),
    ...options.map((option) => `${start} ${optionOf(option)}`),
  ];
}

function optionOf({ name, description, value }: CompletedOption): string {
  const takes =
    value === 'none'
      ? ''
      : value === 'file'
        ? ' -r -F'
        : value === 'text'
          ? ' -x'
          : ` -x -a ${fishQuoted(value.join(' '))}`;
  return `-l ${name.slice(2)}${takes} -d ${fishQuoted(description)}`;
}

/** Within single quotes, fish reads only \\' and \\\\ specially. */
const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
