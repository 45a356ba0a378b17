import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectNames, projectOf, projects, testFiles } from './projects.js';

/**
 * The rules of the architecture as a test: which way imports go, that there are no cycles, who may read the
 * environment or end the process. A rule that only stands in a document is broken within a month.
 */
const sourceRoot = path.resolve(import.meta.dirname, '../src');

const files = readdirSync(sourceRoot, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.split(path.sep).join('/'))
  .sort();

const textOf = new Map(files.map((file) => [file, readFileSync(path.join(sourceRoot, file), 'utf8')]));

/** Relative imports of a file, as paths below src; without those of types, which are gone at run time. */
function importsOf(file: string, which: 'all' | 'runtime' = 'all'): string[] {
  const text = (textOf.get(file) ?? '').replace(
    which === 'runtime' ? /^(?:import|export) type [^;]*;/gm : /$^/,
    '',
  );
  const specifiers = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '');
  return specifiers.map((specifier) =>
    path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)).replace(/\.js$/, '.ts'),
  );
}

/** The part of the program a file belongs to: its first folder, or the file itself for the leaves. */
const partOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : file);

const leaves = [
  'disk',
  'errors.ts',
  'package-version.ts',
  'error-guide.ts',
  'progress.ts',
  'outcome.ts',
  'fail-point.ts',
  'logger.ts',
];
const allowed: Record<string, string[]> = {
  cli: [
    'config',
    'run',
    'library',
    'listings',
    'demo',
    'intake',
    'remote',
    'matching',
    'reporting',
    'payment-file',
    'findings',
    'db',
    'values',
    ...leaves,
  ],
  demo: ['run', 'payment-file', 'remote', 'intake', 'db', 'values', ...leaves],
  config: ['remote', 'values', ...leaves],
  run: ['intake', 'remote', 'matching', 'reporting', 'payment-core', 'db', 'values', ...leaves],
  intake: ['damaged-input', 'remote', 'settlement-file', 'db', 'values', ...leaves],
  matching: ['payment-core', 'findings', 'db', 'values', ...leaves],
  reporting: ['settlement-file', 'findings', 'db', 'values', ...leaves],
  'payment-core': ['payment-file', 'findings', 'db', 'values', ...leaves],
  library: ['config', 'run', 'listings', 'findings', 'matching', 'payment-core', 'db', 'values', ...leaves],
  'index.ts': ['library', 'run', 'listings', 'findings', 'matching', 'payment-core', ...leaves],
  listings: ['db', 'values', ...leaves],
  'payment-file': ['damaged-input', 'db', 'values', ...leaves],
  'damaged-input': ['values'],
  remote: ['disk', 'errors.ts', 'values'],
  disk: ['errors.ts', 'values'],
  'settlement-file': ['damaged-input', 'values', ...leaves],
  findings: [],
  db: ['values', ...leaves],
  values: [],
  'package-version.ts': [],
  'errors.ts': ['values'],
  'error-guide.ts': ['errors.ts'],
  'progress.ts': [],
  'outcome.ts': ['errors.ts'],
  'fail-point.ts': ['errors.ts'],
  'logger.ts': ['values', 'errors.ts'],
};

describe('imports', () => {
  test('every file imports only what lies below it', () => {
    const unknown = files.filter((file) => allowed[partOf(file)] === undefined);
    expect(unknown, 'files in parts that the rules do not know').toEqual([]);
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => partOf(imported) !== partOf(file))
        .filter((imported) => allowed[partOf(file)]?.includes(partOf(imported)) !== true)
        .map((imported) => `${file} -> ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  test('the payment core is entered by its door only', () => {
    const wrong = files
      .filter((file) => partOf(file) !== 'payment-core')
      .flatMap((file) => importsOf(file).map((imported) => `${file} -> ${imported}`))
      .filter((pair) => /-> payment-core\//.test(pair) && !pair.endsWith('-> payment-core/index.ts'));
    expect(wrong).toEqual([]);
  });

  test('there are no cycles', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, trail: string[]): void => {
      if (trail.includes(file)) {
        cycles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
        return;
      }
      if (done.has(file)) return;
      for (const imported of importsOf(file, 'runtime')) visit(imported, [...trail, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  test('every import leads to a file', () => {
    const missing = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !textOf.has(imported))
        .map((imported) => `${file} -> ${imported}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('who may do what', () => {
  const using = (pattern: RegExp) => files.filter((file) => pattern.test(textOf.get(file) ?? ''));

  test.each([
    [
      'reads the environment',
      /\bprocess\.env\b|\benv\b[^=;]*\} = process\b|from '(node:)?process'/,
      /^cli\/main\.ts$/,
    ],
    ['ends the process or sets its exit code', /\bprocess\.(exit\(|exitCode)/, /^cli\/main\.ts$/],
    ['writes to the console', /\bconsole\./, /^$/],
    ['keeps a list of error codes', /Set<ErrorCode>|\.code\.startsWith\('(?:FILE|SOURCE)/, /^$/],
    ['reads money as a float', /\bparseFloat\(/, /^$/],
    [
      'sends a fixed kill signal to itself',
      /process\.kill\(process\.pid/,
      /^fail-point\.ts$|^cli\/main\.ts$/,
    ],
  ])('nobody else %s', (_what, pattern, permitted) => {
    expect(using(pattern).filter((file) => !permitted.test(file))).toEqual([]);
  });

  test('values know nothing of the world', () => {
    const wrong = files
      .filter((file) => partOf(file) === 'values')
      .filter((file) => /from 'node:(fs|net|http|child_process)/.test(textOf.get(file) ?? ''));
    expect(wrong).toEqual([]);
  });
});

describe('names', () => {
  test('files are kebab-case and named for what they do', () => {
    const wrong = files.filter(
      (file) => !/^(?:[a-z0-9-]+\/)*[a-z0-9-]+\.ts$/.test(file) || /utils|helpers|manager/.test(file),
    );
    expect(wrong).toEqual([]);
  });
});

test('every test file belongs to one project, and every entry of a project to a file', () => {
  const entries = projectNames.flatMap((name) => projects[name].map((entry) => ({ name, entry })));
  const twice = entries.filter(
    (one, index) => entries.findIndex((other) => other.entry === one.entry) !== index,
  );
  const unused = entries.filter(
    ({ name, entry }) =>
      !testFiles().some(
        (file) => projectOf(file) === name && (entry.endsWith('/') ? file.startsWith(entry) : file === entry),
      ),
  );
  expect({ twice, unused }).toEqual({ twice: [], unused: [] });
});
