import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.js';
import { exitCodes } from '../../src/errors.js';
import { folderForEachTest } from '../support/test-folder.js';
import { recon } from './recon.js';

const folder = folderForEachTest();

const invocations = commands.map(({ name }) => name.split(' ').filter((word) => /^[a-z]/.test(word)));

describe('help', () => {
  test.each(invocations.map((words) => [words.join(' '), words] as const))(
    'recon %s --help shows examples, exit codes and global options',
    async (_name, words) => {
      const { code, stdout, stderr } = await recon([...words, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/\nExamples:\n {2}recon /);
      expect(stdout).toMatch(/\nExit codes:\n {2}0 +done\n/);
      expect(stdout).toMatch(/--json +one JSON document/);
    },
  );

  test('the help of recon ends with the file with which the documentation begins', async () => {
    const { stdout } = await recon(['--help']);
    const [, file = ''] = /\nDocumentation:\n {2}man recon\n {2}(.*README\.md)\n$/.exec(stdout) ?? [];
    expect(existsSync(file)).toBe(true);
  });

  test('an exit code means what the command does, and not what a run does', async () => {
    const meaningOf = async (code: number, ...words: string[]) =>
      new RegExp(`^ {2}${code} +(.*)$`, 'm').exec((await recon([...words, '--help'])).stdout)?.[1];
    expect(await meaningOf(1, 'webhooks', 'test')).toBe('the receiver did not accept the notification');
    expect(await meaningOf(4, 'payments', 'import')).toBe('the file could not be read');
    // A run never fails because of a delivery.
    for (const name of ['run', 'rerun'])
      expect(await meaningOf(4, name)).toBe('a source or file could not be read, the others were');
  });

  test('a sub-command does not list the options of the command above it', async () => {
    for (const words of invocations.filter(({ length }) => length > 1)) {
      const { stdout } = await recon([...words, '--help']);
      const shared = stdout.slice(stdout.indexOf('Global Options:'), stdout.indexOf('Examples:'));
      expect(shared.match(/^ {2}--[a-z-]+/gm)).toEqual(
        ['--version', '--config', '--json', '--quiet', '--log-level'].map((name) => `  ${name}`),
      );
    }
  });

  test('every example is a valid command line', async () => {
    for (const { examples } of commands) {
      for (const example of examples) {
        const words = example
          .replace(/\s+(>|#).*$/, '')
          .split(' ')
          .slice(1);
        const { code, stderr } = await recon([...words, '--help']);
        expect({ example, code, stderr }).toEqual({ example, code: 0, stderr: '' });
      }
    }
  });

  test('the program lists its commands and exit codes', async () => {
    const { code, stdout } = await recon(['--help']);
    expect(code).toBe(0);
    for (const [word = ''] of invocations) expect(stdout).toContain(`\n  ${word} `);
    for (const exitCode of Object.values(exitCodes))
      expect(stdout).toMatch(new RegExp(`^ {2}${exitCode} `, 'm'));
    expect(stdout).not.toContain('Global Options:');
    // Each command is below the heading of its purpose.
    expect(stdout).toMatch(/^Every day:\n {2}run /m);
    expect(stdout).not.toMatch(/^Commands:$/m);
  });

  test.each(['run', 'files withdraw', 'tokens create'])('recon help %s prints its help', async (name) => {
    const words = name.split(' ');
    const { stdout } = await recon([...words, '--help']);
    expect(await recon(['help', ...words])).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('recon help without a command prints that of the program', async () => {
    const { stdout } = await recon(['--help']);
    expect(await recon(['help'])).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('a run without a configuration names the file that it looked for', async () => {
    const { code, stderr } = await recon(['run'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toContain(
      `There is no configuration ${path.join(folder.path, 'recon.config.yaml')}, and no file`,
    );
  });

  test('the version is that of the package', async () => {
    const file = path.resolve(import.meta.dirname, '../../package.json');
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    expect(await recon(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    for (const args of [
      ['--version', '--json'],
      ['--json', '--version'],
    ]) {
      expect(await recon(args)).toEqual({ code: 0, stdout: `{"version":"${version}"}\n`, stderr: '' });
    }
  });
});

/** They write a file to standard output, which is fine without --json. */
const needsTargetWithJson = ['payments export', 'archive read settlement.csv'];

/** Each is refused before a database is opened or a run begins. */
const mistakes: [args: string, message: string][] = [
  ['rnu', "unknown command 'rnu' (did you mean run?)"],
  ['help rn', "unknown command 'rn' (did you mean run?)"],
  ['help files wihdraw', "unknown command 'wihdraw' (did you mean withdraw?)"],
  ['tokens help crate', "unknown command 'crate' (did you mean create?)"],
  ['run --sorce acquirer', "unknown option '--sorce' (did you mean --source?)"],
  ['run extra', 'too many arguments'],
  ['files wihdraw x', "unknown command 'wihdraw' (did you mean withdraw?)"],
  // A filter of the list would have no effect, and another file than the intended one would be withdrawn.
  [
    'files withdraw a.csv --reason x --source b',
    'recon files withdraw has no option --source, only recon files has it',
  ],
  ['files restore a.csv --limit 1 --reason x', 'recon files restore has no option --limit'],
  ['files --source b withdraw a.csv --reason x', 'recon files withdraw has no option --source'],
  ['explain', "missing required argument 'record'"],
  ['payments', 'A command is missing.'],
  ['run --source', "option '--source <name>' argument missing"],
  ['run --log-level loud', 'Allowed choices are trace, debug, info, warn, error, silent.'],
  ['run --source a --file b', '--source and --file cannot be combined.'],
  ['run --as-of 2026-02-30', '--as-of must be an existing day; "2026-02-30" is not.'],
  ['run --as-of tomorrow', '--as-of must be written yyyy-MM-dd; "tomorrow" is not.'],
  ['run --as-of 20261120', '--as-of must be written yyyy-MM-dd; "20261120" is not.'],
  [
    'run --file x --fail-on fatal',
    '--fail-on must be one of error, warning, info, new:error, new:warning, new:info; "fatal" is not.',
  ],
  [
    'report --from 2026-11-01 --to 2026-11-30 --fail-on new:error',
    '--fail-on new: needs a run: a range of days finds nothing for the first time.',
  ],
  ['move', 'move needs --to URL, --to embedded or --to-file FILE.'],
  ['move --to embedded --to-file url', '--to and --to-file cannot be combined.'],
  ['rerun', 'rerun needs --from DATE and --to DATE.'],
  ['rerun --from 2026-11-19', '--from and --to go together.'],
  ['rerun --to 2026-11-19', '--from and --to go together.'],
  ['rerun --from 2026-11-20 --to 2026-11-19', '--from 2026-11-20 is later than --to 2026-11-19.'],
  [
    'rerun --from 0001-01-01 --to 2026-11-19',
    '--from must be in the years 1900 to 2099; "0001-01-01" is not.',
  ],
  ['rerun --from 2026-11-19 --to 9999-12-31', '--to must be in the years 1900 to 2099; "9999-12-31" is not.'],
  ['rerun --from 2025-02-29 --to 2026-11-19', '--from must be an existing day; "2025-02-29" is not.'],
  ['rerun --from 20260-01-01 --to 2026-11-19', '--from must be written yyyy-MM-dd; "20260-01-01" is not.'],
  ['report --run 1 --from 2026-11-19 --to 2026-11-19', '--run and --from/--to cannot be combined.'],
  ['report --run 0', '--run must be a whole number from 1 to 999999999; "0" is not.'],
  [
    'tokens rotate 3f2a9c1b7d20aa01 --overlap 8761',
    '--overlap must be a whole number from 1 to 8760; "8761" is not.',
  ],
  ['report --run 1e3', '--run must be a whole number from 1 to 999999999; "1e3" is not.'],
  ['runs --limit -5', '--limit must be a whole number from 1 to 999999999; "-5" is not.'],
  ['files --run 9999999999', '--run must be a whole number from 1 to 999999999; "9999999999" is not.'],
  [
    'runs --status done',
    '--status must be one of running, completed, failed, interrupted, abandoned; "done" is not.',
  ],
  [
    'files --status reject',
    'must be one of received, loaded, rejected, retired, withdrawn; "reject" is not (did you mean rejected?).',
  ],
  // A run reports a file as failed that it could not receive. Nothing of it is stored, so there is nothing to list.
  [
    'files --status failed',
    '--status must be one of received, loaded, rejected, retired, withdrawn; "failed" is not.',
  ],
  ['discrepancies --code NOT_MATCH', '"NOT_MATCH" is not (did you mean NOT_MATCHED?).'],
  ['discrepancies --open --all', '--open and --all cannot be combined.'],
  ['discrepancies --from 2026-11-20 --to 2026-11-19', '--from 2026-11-20 is later than --to 2026-11-19.'],
  // They had no effect: the patterns of all codes were listed, and no CSV.
  [
    'items --patterns --code NOT_MATCHED',
    '--patterns lists all patterns; it cannot be combined with --code.',
  ],
  ['items --patterns --csv', '--csv'],
  ['items --patterns --limit 1', 'it cannot be combined with --limit.'],
  [
    'doctor --show-host-key acquirer --reports',
    '--show-host-key only shows host keys; it cannot be combined with --reports or --since.',
  ],
  ['doctor --show-host-key acquirer --since 2h', 'it cannot be combined with --reports or --since.'],
  ['review --read-only --by anna', '--read-only decides nothing, so --by has no effect with it.'],
  ['decide --file a.csv --reason agreed', '--file takes the reason of each decision from the sheet'],
  ['decide --file a.csv --note agreed', '--file takes items and decisions from the sheet'],
  // The decision would be stored with --dry-run as its reason.
  [
    'decide 3f2a9c1b7d20 --accept --reason --dry-run',
    '--reason needs a value, and --dry-run is an option. If it is the value, write --reason=--dry-run',
  ],
  ['decide 3f2a9c1b7d20 --assign --quiet --dry-run', '--assign needs a value, and --quiet is an option.'],
  ['files withdraw a.csv --reason --by=anna', '--reason needs a value, and --by=anna is an option.'],
  // A variable that is not set must not decide about every item.
  ['decide --accept --reason agreed --text ', '--text must not be empty.'],
  ['items --account ', '--account must not be empty.'],
  // As a path, it would name the current folder.
  ['run --file ', '--file must not be empty.'],
  ['run --file a.csv --file ', '--file must not be empty.'],
  ['run --config=', '--config must not be empty.'],
  ['decide --file ', '--file must not be empty.'],
  ['move --to-file ', '--to-file must not be empty.'],
  ['payments import ', 'FILE must not be empty.'],
  ['archive read a.csv ', 'TARGET must not be empty.'],
  ['diff 1 ', 'AFTER must not be empty.'],
  ['explain ', 'RECORD must not be empty.'],
  ['decide 1a2b  --accept', 'ITEMS must not be empty.'],
  ['payments export', 'needs a FILE: standard output contains the JSON document.'],
  ['archive read settlement.csv', 'needs a TARGET: standard output contains the JSON document.'],
];

describe.each(mistakes)('recon %s', (line, message) => {
  const args = line.split(' ');

  test('with --json prints one JSON document and nothing else', async () => {
    for (const withJson of [
      [...args, '--json'],
      ['--json', ...args],
    ]) {
      // Where the value of an option is missing, --json is not taken as an option.
      if (line.endsWith('--source') && withJson.at(-1) === '--json') continue;
      const { code, stdout, stderr } = await recon(withJson, { cwd: folder.path });
      expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
      const document = JSON.parse(stdout) as { error: Record<string, string>; exitCode: number };
      expect(document).toMatchObject({ error: { code: 'USAGE_INVALID' }, exitCode: 2 });
      expect(document.error['message']).toContain(message);
      expect(document.error['advice']).not.toBe('');
    }
  });

  test('without --json prints text', async () => {
    if (needsTargetWithJson.includes(line)) return;
    const { code, stdout, stderr } = await recon(args, { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^recon: |^Usage: /);
    expect(stderr).toMatch(/--help/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

test('without a command the help is printed and the exit code is 2', async () => {
  const { code, stdout, stderr } = await recon([]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Usage: recon');
});

test.each([
  [[], 'recon'],
  [['payments'], 'recon payments'],
])('without a command, the document of %j names the help of %s', async (words, command) => {
  const { code, stdout } = await recon([...words, '--json']);
  const advice = `\`${command} --help\` shows how it is used.`;
  expect([code, JSON.parse(stdout)]).toMatchObject([
    2,
    { error: { message: 'A command is missing.', advice } },
  ]);
});

test.each([
  [
    'rnu',
    "recon: unknown command 'rnu' (did you mean run?)\n`recon --help` shows how it is used. (USAGE_INVALID)\n",
  ],
  [
    'payments imprt',
    "recon: unknown command 'imprt' (did you mean import?)\n`recon payments --help` shows how it is used. (USAGE_INVALID)\n",
  ],
  [
    'files withdraw',
    "recon: missing required argument 'file'\n`recon files withdraw --help` shows how it is used. (USAGE_INVALID)\n",
  ],
  [
    'rerun',
    'recon: rerun needs --from DATE and --to DATE.\n`recon rerun --help` shows how it is used. (USAGE_INVALID)\n',
  ],
  [
    'files withdraw x',
    'recon: files withdraw needs --reason TEXT: it is kept with the file.\n`recon files withdraw --help` shows how it is used. (USAGE_INVALID)\n',
  ],
])('recon %s: the message has the form of all messages and names the help', async (line, message) => {
  expect((await recon(line.split(' '), { cwd: folder.path })).stderr).toBe(message);
  const { stdout } = await recon([...line.split(' '), '--json'], { cwd: folder.path });
  const { error } = JSON.parse(stdout) as { error: { message: string; advice: string } };
  expect(`recon: ${error.message}\n${error.advice} (USAGE_INVALID)\n`).toBe(message);
});

test('-h is --help', async () => {
  expect(await recon(['run', '-h'])).toEqual(await recon(['run', '--help']));
});

test('none of these command lines wrote anything', async () => {
  await recon(['run', '--as-of', 'never'], { cwd: folder.path });
  const { code } = await recon(['init'], { cwd: folder.path });
  expect(code).toBe(0);
});
