import { Command, CommanderError, Option } from 'commander';
import { suggestion } from '../values/closest-name.js';
import { ReconError, exitCodes } from '../errors.js';
import { readPackageVersion } from '../package-version.js';
import type { GlobalOptions, Surroundings } from './command-context.js';
import type { CommandDefinition } from './command-definition.js';
import { commandOfHint, documentationHelp, exitCodeHelp, helpAdvice, helpHint } from './command-help.js';
import { commands, groupSummaries, helpHeading, maintenance } from './commands.js';
import { globalOptions } from './global-options.js';
import { endAfterSignal } from './end-after-signal.js';
import { holdYoungGeneration, releaseYoungGeneration } from './limit-heap-growth.js';
import { openOutput } from './open-output.js';
import { printableLines } from './text/printable.js';
import { refuseOptionAsValue, requireFilled } from './require-filled.js';
import { reportDefect, reportError, mistakeOf, reportUsage, withoutValues } from './report-failure.js';

/** Runs one command line and returns its exit code. It never throws and never ends the process. */
export async function runProgram(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = exitCodes.done;
  let called = 'recon';
  const program = buildProgram(args, surroundings, {
    begun: (command) => (called = command),
    done: (code) => (exitCode = code),
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return exitCodes.done;
      // Without a command it prints the help and throws that as an error.
      const message = thrown.code === 'commander.help' ? 'A command is missing.' : thrown.message;
      return reportUsage(message, args, surroundings, helpAdvice(called));
    }
    // The advice of the catalogue is for every command and for programs; a person needs the help of this command.
    return thrown instanceof ReconError && thrown.code === 'USAGE_INVALID'
      ? reportError(thrown, args, surroundings, helpAdvice(called))
      : reportThrown(thrown, args, surroundings);
  }
}

/** Hears which command is called and how it ends. */
interface CommandProgress {
  /** @param command its words: `recon files withdraw` */
  begun(command: string): void;
  done(exitCode: number): void;
}

/** Reports a thrown value and returns the exit code. */
export async function reportThrown(
  thrown: unknown,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  if (thrown instanceof ReconError) return reportError(thrown, args, surroundings);
  try {
    const { toReconError } = await import('../db/database-errors.js');
    const known = toReconError(thrown);
    if (known !== undefined) return reportError(known, args, surroundings);
  } catch (unloaded) {
    // When no more files can be opened, the program cannot even load its own modules.
    return reportDefect(unloaded, args, surroundings);
  }
  return reportDefect(thrown, args, surroundings);
}

const newGlobalOptions = () =>
  globalOptions.map(({ flags, description, choices }) => {
    const option = new Option(flags, description);
    return choices === undefined ? option : option.choices([...choices]);
  });

function versionText(args: readonly string[]): string {
  const { version } = readPackageVersion();
  return args.includes('--json') ? JSON.stringify({ version }) : version;
}

function buildProgram(
  args: readonly string[],
  surroundings: Surroundings,
  progress: CommandProgress,
): Command {
  const program = new Command('recon')
    .description('Reconciles settlement files with stored payments and reports every discrepancy.')
    .version(versionText(args), '--version', 'print the version')
    .helpOption('-h, --help', 'print help, with examples')
    .configureHelp({
      showGlobalOptions: true,
      // Not those of a command between, such as the filters of `recon files`, which its sub-commands do not have.
      visibleGlobalOptions: (command): Option[] =>
        command.parent === null ? [] : [...rootOf(command).options],
    })
    .commandsGroup(maintenance)
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      // With --json the mistake is printed as the one document.
      writeErr: (text) => {
        const hinted = commandOfHint(text);
        if (hinted !== undefined) progress.begun(hinted);
        if (!args.includes('--json')) surroundings.stderr.write(printableLines(withoutValues(text)));
      },
      outputError: (text, write) => write(`recon: ${mistakeOf(text)}\n`),
    })
    .showHelpAfterError(helpHint('recon'))
    .exitOverride()
    .addHelpText('after', `\n${exitCodeHelp(Object.values(exitCodes))}`)
    .addHelpText('after', () => `\n${documentationHelp()}`);
  for (const option of newGlobalOptions()) program.addOption(option);
  const groups = new Map<string, Command>();
  for (const definition of commands) {
    const [first = '', second = ''] = definition.name.split(' ');
    const isGroup = /^[a-z]/.test(second);
    const parent = isGroup ? groupOf(program, groups, first) : program;
    const usage = isGroup ? definition.name.slice(first.length + 1) : definition.name;
    addCommand({ parent, usage, args }, definition, surroundings, progress);
  }
  // Last, so that they are below the other commands.
  for (const parent of [...groups.values(), program]) addHelpCommand(parent);
  return program;
}

/** The help command of the library prints the help of the program if there is no such command. */
function addHelpCommand(parent: Command): void {
  parent
    .command('help [command...]')
    .description('print the help of a command')
    .action((words: readonly string[]) => {
      let command = parent;
      for (const word of words) {
        const next = command.commands.find((each) => each.name() === word);
        if (next === undefined) return unknownCommand(command, word);
        command = next;
      }
      command.help();
    });
}

function groupOf(program: Command, groups: Map<string, Command>, name: string): Command {
  const known = groups.get(name) ?? program.commands.find((command) => command.name() === name);
  // A misspelt sub-command looks like an argument; the action of the command refuses it.
  if (known !== undefined) return known.allowExcessArguments();
  const group = program
    .command(name)
    .description(groupSummaries[name] ?? '')
    .commandsGroup('Commands:')
    .helpGroup(helpHeading(name))
    .showHelpAfterError(helpHint(`recon ${name}`));
  groups.set(name, group);
  return group;
}

/** Where a command is, and how it was called. */
interface CommandPlace {
  /** The program or a group. */
  readonly parent: Command;
  /** The name and arguments of the command in it. */
  readonly usage: string;
  /** The command line. */
  readonly args: readonly string[];
}

function addCommand(
  { parent, usage, args }: CommandPlace,
  definition: CommandDefinition,
  surroundings: Surroundings,
  progress: CommandProgress,
): void {
  const command = parent.command(usage).description(definition.summary);
  const words = definition.name.split(' ').filter((word) => /^[a-z]/.test(word));
  const called = ['recon', ...words].join(' ');
  command.showHelpAfterError(helpHint(called));
  if (parent.parent === null) command.helpGroup(helpHeading(command.name()));
  for (const [flags, description] of definition.options ?? []) {
    const option = new Option(flags, description);
    if (definition.repeatable?.some((name) => flags.startsWith(name)) === true) {
      option.argParser((value: string, previous: string[] | undefined) => [...(previous ?? []), value]);
    }
    command.addOption(option);
  }
  // They are allowed before and after the command; the help shows them once, as global options.
  for (const option of newGlobalOptions()) command.addOption(option.hideHelp());
  const examples = definition.examples.map((example) => `  ${example}`).join('\n');
  command.addHelpText(
    'after',
    `\nExamples:\n${examples}\n\n${exitCodeHelp(definition.exitCodes, definition.exitMeanings)}`,
  );
  command.action(async () => {
    refuseUnknownCommand(command);
    refuseOptionsOfList(command);
    refuseOptionAsValue(command, args);
    progress.begun(called);
    progress.done(await runCommand(definition, command, surroundings));
  });
}

/** Refuses a word that is not a sub-command, where a command without arguments has sub-commands. */
function refuseUnknownCommand(command: Command): void {
  const [given] = command.args;
  if (given === undefined || command.commands.length === 0 || command.registeredArguments.length > 0) return;
  unknownCommand(command, given);
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

/**
 * Refuses options that only the list above a sub-command has, such as --source of `recon files` for `recon files
 * withdraw`: the library takes them anywhere, and they would have no effect.
 */
function refuseOptionsOfList(command: Command): void {
  const { parent } = command;
  if (parent === null || parent.parent === null) return;
  const shared = globalOptions.map(({ flags }) => new Option(flags).long);
  const given = parent.options.find(
    (option) =>
      !shared.includes(option.long) && parent.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (given === undefined) return;
  const list = `recon ${parent.name()}`;
  command.error(`error: ${list} ${command.name()} has no option ${given.long}, only ${list} has it`, {
    exitCode: exitCodes.usage,
  });
}

function unknownCommand(parent: Command, given: string): never {
  const names = parent.commands.map((each) => each.name());
  parent.error(`error: unknown command '${given}'${suggestion(given, names)}`, {
    exitCode: exitCodes.usage,
  });
}

async function runCommand(
  definition: CommandDefinition,
  command: Command,
  surroundings: Surroundings,
): Promise<number> {
  requireFilled(command, definition.mayBeEmpty);
  const options = command.optsWithGlobals<Record<string, unknown>>();
  if ('loadPrinter' in definition) {
    const print = await definition.loadPrinter();
    return print(openOutput(surroundings, readGlobalOptions(options)), command.args, options, commands);
  }
  holdYoungGeneration();
  // The context imports configuration, logger and database; --help must not load them.
  const { openContext } = await import('./open-context.js');
  const { armFailPoint } = await import('../fail-point.js');
  const { readEnvironment } = await import('../config/environment.js');
  armFailPoint(readEnvironment(surroundings.environment).failAt);
  const { signal } = surroundings;
  const { context, explain, close } = openContext(surroundings, readGlobalOptions(options), {
    closeOn: definition.stopsAtSafePoint === true ? undefined : signal,
  });
  try {
    const run = await definition.load();
    releaseYoungGeneration();
    const work = run(context, command.args, options);
    return await (definition.stopsAtSafePoint === true ? work : endAfterSignal(work, signal));
  } catch (thrown) {
    throw await explain(thrown);
  } finally {
    await close();
  }
}

function readGlobalOptions(options: Readonly<Record<string, unknown>>): GlobalOptions {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    config: text(options['config']),
    json: options['json'] === true,
    quiet: options['quiet'] === true,
    logLevel: text(options['logLevel']),
  };
}
