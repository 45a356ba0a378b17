import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.js';
import { globalOptions } from '../../src/cli/global-options.js';

/** What the pages say about the command line exists, and every option is on the page of commands. */
const root = path.resolve(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(path.join(root, page), 'utf8');
const pages = [
  'README.md',
  'deploy/README.md',
  ...readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const flagsIn = (text: string) => text.match(/(?<![\w-])--[a-z][a-z0-9-]*/g) ?? [];
const everywhere = new Set([...globalOptions.flatMap(({ flags }) => flagsIn(flags)), '--help', '--version']);
const known = commands.map(({ name, options = [] }) => ({
  words: name.split(' ').filter((word) => /^[a-z]/.test(word)),
  flags: new Set(options.flatMap(([flags]) => flagsIn(flags))),
}));

/** Commands that a page shows: `recon …` in code, or a line of a block that begins with it. */
function shown(page: string): string[] {
  const blocks = [...page.matchAll(/^```(?:sh)?\n([^]*?)^```$/gm)].flatMap((match) =>
    (match[1] ?? '').split('\n'),
  );
  const spans = [...page.replace(/^```[^]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(
    (match) => match[1] ?? '',
  );
  return [...blocks, ...spans]
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => /^recon (?:[a-z]|--)/.test(text))
    .map((text) => text.replace(/ (?:#|\||>|&&).*/, (rest) => (rest.startsWith(' | --') ? rest : '')));
}

/** What is wrong with a command that a page shows, or null. */
function problemOf(text: string): string | null {
  const words = text.split(' ').slice(1);
  const flags = flagsIn(text).filter((flag) => !everywhere.has(flag));
  if (words[0]?.startsWith('-') === true) return flags.length === 0 ? null : 'no such option';
  const possible = known
    .filter((command) => command.words.every((word, index) => word === words[index]))
    .sort((one, other) => other.words.length - one.words.length);
  const [command] = possible;
  // A word that only groups commands, such as `recon webhooks`.
  if (command === undefined) {
    return known.some((each) => each.words[0] === words[0] && words.length === 1) ? null : 'no such command';
  }
  const unknown = flags.filter((flag) => !command.flags.has(flag));
  return unknown.length === 0 ? null : `no option ${unknown.join(', ')}`;
}

test('commands that pages show exist, with their options', () => {
  const all = pages.flatMap((page) =>
    shown(read(page)).map((text) => ({ page, text, problem: problemOf(text) })),
  );
  expect(all.length).toBeGreaterThan(200);
  expect(
    all
      .filter(({ problem }) => problem !== null)
      .map(({ page, text, problem }) => `${page}: ${text}: ${problem ?? ''}`),
  ).toEqual([]);
});

test('docs/commands.md names every option', () => {
  const named = new Set(flagsIn(read('docs/commands.md')));
  const missing = known.flatMap(({ words, flags }) =>
    [...flags].filter((flag) => !named.has(flag)).map((flag) => `${words.join(' ')} ${flag}`),
  );
  expect(missing).toEqual([]);
});
