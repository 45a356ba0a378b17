import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../../src/cli/commands.js';
import { completedCommands } from '../../../src/cli/completion/completed-commands.js';
import { shells } from '../../../src/cli/completion/option-values.js';
import { needs } from '../../support/needs.js';
import { folderForAllTests } from '../../support/test-folder.js';
import { recon } from '../recon.js';

const directory = folderForAllTests();
const scripts: Record<string, string> = {};
beforeAll(async () => {
  writeFileSync(path.join(directory.path, 'pay ments.csv'), '');
  writeFileSync(path.join(directory.path, 'recon.config.yaml'), '');
  mkdirSync(path.join(directory.path, 'folder'));
  for (const shell of shells) {
    const { code, stdout } = await recon(['completion', shell]);
    expect(code).toBe(0);
    scripts[shell] = path.join(directory.path, `recon.${shell}`);
    writeFileSync(scripts[shell], stdout);
  }
});

/** What each shell answers to a command line whose last word is being typed. */
const askers: Readonly<Record<string, (lines: readonly (readonly string[])[]) => string[][]>> = {
  bash: (lines) =>
    answersOf(
      'bash',
      lines,
      (words) => `COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _recon
        printf '%s\\n' "\${COMPREPLY[@]}" ''`,
    ),
  // The system of completions needs a terminal; its two functions are replaced by ones that print their candidates.
  zsh: (lines) =>
    answersOf(
      'zsh',
      lines,
      (words) => `words=(${words}); CURRENT=\${#words}; _recon; print -l -- "" ""`,
      `compdef() { : }
       _describe() {
         local name=\${@[-1]}
         for each in \${(P)name}; do each=\${each%%:*}; [[ $each == \${words[CURRENT]}* ]] && print -r -- $each; done
       }
       _files() { for each in *(N); do [[ $each == \${words[CURRENT]}* ]] && print -r -- $each; done }`,
    ),
  fish: (lines) =>
    answersOf(
      'fish',
      lines,
      (words) => `complete -C ${fishQuoted(words.replaceAll("''", ''))} | string replace -r '\\t.*' ''; echo`,
    ),
};

function answersOf(
  shell: string,
  lines: readonly (readonly string[])[],
  ask: (words: string) => string,
  before = '',
): string[][] {
  const quoted = (words: readonly string[]) =>
    words.map((word) => (word === '' || word.includes(' ') ? `'${word}'` : word)).join(' ');
  // Each answer ends with an empty line, and each line of questions with a mark.
  const questions = lines.map((words) => `${ask(quoted(words))}\necho '----'`);
  const source = `${before}\nsource '${scripts[shell] ?? ''}'\n${questions.join('\n')}\n`;
  const flags = shell === 'fish' ? ['--no-config'] : shell === 'zsh' ? ['-f'] : ['--norc', '--noprofile'];
  const { stdout, stderr } = spawnSync(shell, [...flags, '-c', source], {
    cwd: directory.path,
    encoding: 'utf8',
    // It warns about a locale that is not installed.
    ...(shell === 'bash' && { env: { ...process.env, LC_ALL: 'C' } }),
  });
  expect(stderr).toBe('');
  return stdout
    .split('----\n')
    .slice(0, -1)
    .map((answer) => answer.split('\n').filter((word) => word !== ''));
}

const fishQuoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;

const cases: readonly [line: string, expected: readonly string[]][] = [
  ['recon re', ['report', 'reports', 'rerun', 'retire', 'review']],
  ['recon payments ', ['changes', 'export', 'import']],
  ['recon files ', ['restore', 'withdraw']],
  ['recon files --st', ['--status']],
  ['recon files --status re', ['received', 'rejected', 'retired']],
  ['recon files --status rejected w', ['withdraw']],
  ['recon jobs list --status a', ['active']],
  ['recon webhooks add --wrapper j', ['json']],
  ['recon webhooks add --types P', ['PAYMENT']],
  ['recon audit list --action row', ['row', 'row.corrected']],
  ['recon --config x.yaml --log-level debug runs --status fa', ['failed']],
  ['recon run --fail', ['--fail-on']],
  ['recon run --fail-on in', ['info']],
  ['recon --log-level ', ['debug', 'error', 'info', 'silent', 'trace', 'warn']],
  ['recon items --code MISS', ['MISSING_SETTLEMENT']],
  ['recon payments import pa', ['pay ments.csv']],
  ['recon run --file fo', ['folder']],
  ['recon --config recon.c', ['recon.config.yaml']],
  ['recon items --text ', []],
  ['recon explain ', []],
  ['recon completion ', ['bash', 'fish', 'zsh']],
  ['recon decide --un', ['--undo', '--unlink']],
];

describe.each(shells)('%s', (shell) => {
  const need = needs.program(shell);

  test.skipIf(!need.isMet)('completes commands, options and values', need.orSkipped, () => {
    const answers = askers[shell]?.(cases.map(([line]) => line.split(' ')));
    const found = cases.map(([line], n) => [line, answers?.[n]?.map(plain).sort()]);
    expect(found).toEqual(cases.map(([line, expected]) => [line, expected]));
  });

  test.skipIf(!need.isMet)('knows every command and every option', need.orSkipped, () => {
    const all = completedCommands(commands);
    const lines = all.map(({ path: command }) => ['recon', ...command.split(' ').filter(Boolean), '--']);
    expect(askers[shell]?.(lines).map((answer) => answer.sort())).toEqual(
      all.map(({ options }) => options.map(({ name }) => name).sort()),
    );
  });

  /** fish marks folders and escapes blanks. */
  const plain = (word: string) => word.replace(/\/$/, '').replaceAll('\\ ', ' ');
});

test('another shell is named as a mistake', async () => {
  const { code, stderr } = await recon(['completion', 'fiish']);
  expect(code).toBe(2);
  expect(stderr).toContain('The shell must be one of bash, zsh, fish; "fiish" is not (did you mean fish?).');
});
