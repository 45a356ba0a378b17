import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/**
 * Everything that a person reads is plain English: messages, help, pages, comments and the names of tests. This list
 * holds phrases that came in again and again and that readers stumbled on, with the words to use instead.
 */
const banned: readonly [phrase: RegExp, instead: string][] = [
  [/\b(?:is|are|was|were|be|been|being) told\b/i, 'is reported, logged, shown or returned'],
  [/\btells? of\b|\btold of\b/i, 'reports, describes'],
  [/\btold\b/i, 'reported, logged, shown, returned'],
  [/\banew\b/i, 'again'],
  [/\bmend(?:s|ed|ing)?\b/i, 'repair, fix'],
  [/\bbut for\b/i, 'except for'],
  [/\bin so many words\b/i, 'explicitly'],
  [/\bnone the worse\b/i, 'not affected'],
  [/\b(?:go|goes|went) by\b/i, 'uses, follows, is decided by'],
  [/\bat hand\b/i, 'available'],
  [/\bby itself\b|\bby themselves\b/i, 'automatically, alone'],
  [/\bof (?:its|their|his|our|my|your) own\b/i, 'its own …, separate'],
  [/\bby when\b/i, 'by the date on which'],
  [/\bno news\b/i, 'not reported again'],
  [/\bnone any more\b/i, 'no longer one'],
  [/\bfor ever\b/i, 'forever, without end'],
  [/\bbrought to the disk\b/i, 'synced'],
  [/\bas (?:grave|severe) as\b|\bgrave(?:r|st)?\b/i, 'severe'],
  [/\bwins? over\b/i, 'takes precedence over'],
  [/\blies? safe\b/i, 'is stored'],
  [/\bbur(?:y|ies|ied) the dead\b/i, 'marks dead runs as abandoned'],
  [/\bworth a word\b/i, 'contact'],
  [/\bthe gravest\b/i, 'the most severe'],
  [/\b(?:it|that) is none\b/i, 'is not one'],
  [/\bwithout a word\b/i, 'silently, without a message'],
  [/\bconclude[sd]?\b/i, 'find, determine, finish'],
  [/\bblindly\b/i, 'unchecked'],
  [/\bin the clear\b/i, 'unencrypted'],
  [/\bat work\b/i, 'active, running'],
  [/\bsigns? of life\b/i, 'heartbeat'],
  [/\bmade up for\b(?=['`"]|$)|\bwaited out\b/i, 'waits for, completes'],
  [/\bnobody (?:knows|logged in|can say)\b/i, 'unknown; recon did not log in'],
  [/\bstands? twice\b|\blies? there\b/i, 'appears twice, exists'],
];

const root = path.resolve(import.meta.dirname, '../..');

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => `${folder}/${name}`);
}

const files = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...filesBelow('docs', /\.md$/).filter((page) => !page.startsWith('docs/specification/')),
  ...['src', 'test', 'scripts', 'bench'].flatMap((folder) => filesBelow(folder, /\.(?:ts|mjs)$/)),
  ...filesBelow('fixtures', /STORY\.md$/),
  '.ci/run',
].filter((file) => file !== 'test/docs/language.test.ts');

test('the phrases of the list are not used', () => {
  const found = files.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        banned
          .filter(([phrase]) => phrase.test(line))
          .map(([phrase, instead]) => `${file}:${index + 1}: ${phrase.exec(line)?.[0] ?? ''} (${instead})`),
      ),
  );
  expect(found).toEqual([]);
});
