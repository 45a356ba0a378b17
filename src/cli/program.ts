import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { ReconError, exitCodes, messageOf } from '../errors.js';
import type { CommandContext, GlobalOptions, Surroundings } from './command-context.js';

/** What a command's module gives: it does its work and returns the exit code. */
export type RunCommand = (
  context: CommandContext,
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
) => Promise<number>;

/** A command as data; its module is loaded when it is called, so that `--help` is quick. */
interface CommandDefinition {
  readonly name: string;
  readonly summary: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  readonly repeatable?: readonly string[];
  readonly examples: readonly string[];
  readonly load: () => Promise<RunCommand>;
}

const dryRun = [
  '--dry-run',
  'do everything in a transaction that is rolled back; change nothing anywhere',
] as const;
const asOf = ['--as-of <date>', 'the day from whose view payments are due (default: today)'] as const;
const failOn = [
  '--fail-on <severity>',
  'exit with 7 when a discrepancy of this severity (error, warning, info) or a graver one is open',
] as const;
const from = ['--from <date>', 'first settlement date'] as const;
const to = ['--to <date>', 'last settlement date'] as const;
const limit = ['--limit <n>', 'how many at most (default: 50)'] as const;

const commands: readonly CommandDefinition[] = [
  {
    name: 'demo',
    summary: 'the main job on sample data, with nothing to configure',
    examples: ['recon demo'],
    load: async () => (await import('./commands/demo.js')).demo,
  },
  {
    name: 'run',
    summary: 'fetch what is new, match it, report',
    options: [
      ['--source <name>', 'ask only this source (may be repeated)'],
      ['--file <path>', 'take this local file instead of the sources (may be repeated)'],
      asOf,
      dryRun,
      failOn,
    ],
    repeatable: ['--source', '--file'],
    examples: [
      'recon run',
      'recon run --source acquirer --json',
      'recon run --file settlement-2026-11-19.csv --dry-run',
    ],
    load: async () => (await import('./commands/run.js')).run,
  },
  {
    name: 'rerun',
    summary: 'match and report the stored records of a range of settlement dates again',
    options: [from, to, ['--fetch', 'ask the sources for new files first'], asOf, dryRun, failOn],
    examples: [
      'recon rerun --from 2026-11-01 --to 2026-11-30',
      'recon rerun --from 2026-11-19 --to 2026-11-19 --fetch',
    ],
    load: async () => (await import('./commands/rerun.js')).rerun,
  },
  {
    name: 'schedule',
    summary: 'stay up and run by the configured schedule; catch up missed nights',
    examples: ['recon schedule'],
    load: async () => (await import('./commands/schedule.js')).schedule,
  },
  {
    name: 'report',
    summary: 'write reports again from what is stored',
    options: [['--run <id>', 'the run to report on (default: the latest)'], from, to, failOn],
    examples: ['recon report', 'recon report --run 17', 'recon report --from 2026-11-01 --to 2026-11-30'],
    load: async () => (await import('./commands/report.js')).report,
  },
  {
    name: 'explain <record>',
    summary: 'why a record matched as it did; RECORD is FILE:LINE, UniqueID, SettlementTxId or DiscrepancyId',
    examples: ['recon explain settlement-2026-11-19.csv:17', 'recon explain STL-000901'],
    load: async () => (await import('./commands/explain.js')).explain,
  },
  {
    name: 'runs',
    summary: 'list runs, the latest first',
    options: [['--status <status>', 'running, completed, failed, interrupted or abandoned'], limit],
    examples: ['recon runs', 'recon runs --status failed --json'],
    load: async () => (await import('./commands/lists.js')).runs,
  },
  {
    name: 'files',
    summary: 'list settlement files, the latest first',
    options: [
      ['--status <status>', 'received, loaded, rejected or failed'],
      ['--source <name>', 'from this source'],
      ['--run <id>', 'settled by this run'],
      limit,
    ],
    examples: ['recon files', 'recon files --status rejected'],
    load: async () => (await import('./commands/lists.js')).files,
  },
  {
    name: 'discrepancies',
    summary: 'list open discrepancies, the gravest first',
    options: [
      ['--code <code>', 'only this code'],
      ['--severity <severity>', 'only error, warning or info'],
      from,
      to,
      ['--all', 'resolved ones too'],
      limit,
    ],
    examples: [
      'recon discrepancies',
      'recon discrepancies --code AMOUNT_MISMATCH --from 2026-11-19 --to 2026-11-19 --json',
    ],
    load: async () => (await import('./commands/lists.js')).discrepancies,
  },
  {
    name: 'payments import <file>',
    summary: 'store existing payments: all of the file or nothing; the same file again changes nothing',
    examples: ['recon payments import payments.csv'],
    load: async () => (await import('./commands/payments.js')).importFile,
  },
  {
    name: 'payments export [file]',
    summary: 'write the stored payments in the format of the import',
    examples: ['recon payments export payments.csv', 'recon payments export > payments.csv'],
    load: async () => (await import('./commands/payments.js')).exportFile,
  },
  {
    name: 'init',
    summary: 'write a commented recon.config.yaml',
    options: [['--force', 'replace the file that is there']],
    examples: ['recon init', 'recon init --config /etc/recon/recon.config.yaml'],
    load: async () => (await import('./commands/init.js')).init,
  },
  {
    name: 'migrate',
    summary: 'bring the database to the schema of this version',
    options: [['--check', 'only say whether it is']],
    examples: ['recon migrate', 'recon migrate --check'],
    load: async () => (await import('./commands/migrate.js')).migrate,
  },
  {
    name: 'doctor',
    summary: 'check database, sources and folders, and say what is wrong',
    options: [['--reports', 'prove all reports untouched by their manifests']],
    examples: ['recon doctor', 'recon doctor --reports'],
    load: async () => (await import('./commands/doctor.js')).doctor,
  },
];

const exitCodeHelp = `
Exit codes: 0 done; 1 done, but a file or row was rejected; 2 usage or configuration; 3 another run is active;
4 a source could not be read; 5 database; 6 local disk; 7 with --fail-on; 130, 143 interrupted.`;

/** Runs one command line to its exit code. Nothing below throws to the caller or ends the process. */
export async function runProgram(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = buildProgram(surroundings, (code) => (exitCode = code));
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      return thrown.exitCode === 0 ? exitCodes.done : tellUsage(thrown, args, surroundings);
    }
    return tellFailure(thrown, args, surroundings);
  }
}

function buildProgram(surroundings: Surroundings, done: (exitCode: number) => void): Command {
  const program = new Command('recon')
    .description('Reconciles settlement files with stored payments.')
    .version(packageVersion())
    .option('--config <file>', 'configuration file (default: recon.config.yaml)')
    .option('--json', 'one JSON document on standard output and nothing else')
    .option('--quiet', 'print nothing but errors')
    .addOption(
      new Option('--log-level <level>', 'how much to log').choices([
        'trace',
        'debug',
        'info',
        'warn',
        'error',
        'silent',
      ]),
    )
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      writeErr: (text) => (args_json(program) ? undefined : surroundings.stderr.write(text)),
    })
    .showHelpAfterError('(run with --help for examples)')
    .exitOverride()
    .addHelpText('after', exitCodeHelp);
  const groups = new Map<string, Command>();
  for (const definition of commands) {
    const [first = '', second = ''] = definition.name.split(' ');
    const isGroup = /^[a-z]/.test(second);
    const parent = isGroup ? groupOf(program, groups, first) : program;
    addCommand(
      parent,
      definition,
      isGroup ? definition.name.slice(first.length + 1) : definition.name,
      surroundings,
      done,
    );
  }
  return program;
}

const args_json = (program: Command) => program.opts<{ json?: boolean }>().json === true;

function groupOf(program: Command, groups: Map<string, Command>, name: string): Command {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const group = program.command(name).description('store and write payments in bulk');
  group.copyInheritedSettings(program);
  groups.set(name, group);
  return group;
}

function addCommand(
  parent: Command,
  definition: CommandDefinition,
  usage: string,
  surroundings: Surroundings,
  done: (exitCode: number) => void,
): void {
  const command = parent.command(usage).description(definition.summary);
  for (const [flags, description] of definition.options ?? []) {
    const option = new Option(flags, description);
    if (definition.repeatable?.some((name) => flags.startsWith(name)) === true) {
      option.argParser((value: string, previous: string[] | undefined) => [...(previous ?? []), value]);
    }
    command.addOption(option);
  }
  command
    .addHelpText(
      'after',
      `\nExamples:\n${definition.examples.map((example) => `  $ ${example}`).join('\n')}\n${exitCodeHelp}`,
    )
    .addOption(new Option('--config <file>', 'configuration file').hideHelp())
    .addOption(new Option('--json', 'one JSON document').hideHelp())
    .addOption(new Option('--quiet', 'errors only').hideHelp())
    .addOption(
      new Option('--log-level <level>', 'how much to log')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .hideHelp(),
    )
    .action(async () => {
      // The context reaches for configuration, logger and database; --help must not load them.
      const { openContext } = await import('./open-context.js');
      const { armFailPoint } = await import('../fail-point.js');
      const { readEnvironment } = await import('../config/environment.js');
      armFailPoint(readEnvironment().failAt);
      const options = command.optsWithGlobals<Record<string, unknown>>();
      const { context, close } = openContext(surroundings, globalOptions(options));
      try {
        done(await (await definition.load())(context, command.args, options));
      } finally {
        await close();
      }
    });
}

function globalOptions(options: Readonly<Record<string, unknown>>): GlobalOptions {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    config: text(options['config']),
    json: options['json'] === true,
    quiet: options['quiet'] === true,
    logLevel: text(options['logLevel']),
  };
}

function packageVersion(): string {
  const file = path.resolve(import.meta.dirname, '../../package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** commander has told the mistake on standard error already, except when JSON was asked for. */
function tellUsage(thrown: CommanderError, args: readonly string[], surroundings: Surroundings): number {
  if (args.includes('--json')) {
    const message = thrown.message.replace(/^error: /, '');
    writeError(surroundings, new ReconError('USAGE_INVALID', message));
  }
  return exitCodes.usage;
}

function tellFailure(thrown: unknown, args: readonly string[], surroundings: Surroundings): number {
  const error = thrown instanceof ReconError ? thrown : undefined;
  if (error !== undefined && args.includes('--json')) writeError(surroundings, error);
  else if (error !== undefined)
    surroundings.stderr.write(`recon: ${error.message}\n${error.advice} (${error.code})\n`);
  else {
    surroundings.stderr.write(`recon: this is a defect of recon, please report it: ${messageOf(thrown)}\n`);
    // Which exit code a defect gets is nobody's contract; 70 is EX_SOFTWARE and none of ours.
    return 70;
  }
  return error.exitCode;
}

function writeError({ stdout }: Surroundings, error: ReconError): void {
  const { code, message, advice, exitCode } = error;
  stdout.write(`${JSON.stringify({ error: { code, message, advice }, exitCode }, null, 2)}\n`);
}
