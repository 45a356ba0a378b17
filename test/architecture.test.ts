import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { projectNames, projectOf, projects, testFiles } from './projects.js';

/**
 * The rules of the architecture as a test: which way imports go, that there are no cycles, who may read the environment
 * or end the process. A rule that is only in a document is broken within a month.
 */
const sourceRoot = path.resolve(import.meta.dirname, '../src');

const files = readdirSync(sourceRoot, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.split(path.sep).join('/'))
  .sort();

const textOf = new Map(files.map((file) => [file, readFileSync(path.join(sourceRoot, file), 'utf8')]));

/** Relative imports of a file, those of types too, as paths below src. */
function importsOf(file: string): readonly string[] {
  return importsByFile.get(file) ?? [];
}

const importsByFile = new Map(
  [...textOf].map(([file, text]) => {
    const specifiers = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '');
    const imported = specifiers.map((specifier) =>
      path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)).replace(/\.js$/, '.ts'),
    );
    return [file, imported] as const;
  }),
);

/** The part of the program a file belongs to: its first folder, or the file itself for the leaves. */
const partOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : file);

const leaves = [
  'disk',
  'differing-sums.ts',
  'errors.ts',
  'package-files.ts',
  'package-version.ts',
  'port-unavailable.ts',
  'host-mark.ts',
  'is-alive.ts',
  'all-done.ts',
  'interruption.ts',
  'serially.ts',
  'ends-within.ts',
  'error-guide.ts',
  'progress.ts',
  'outcome.ts',
  'fail-point.ts',
  'logger.ts',
];
const allowed: Record<string, string[]> = {
  cli: [
    'worker',
    'archive',
    'config',
    'audit',
    'retention',
    'run',
    'library',
    'move',
    'shards',
    'listings',
    'alerts',
    'metrics',
    'review',
    'delivery',
    'demo',
    'http',
    'webhooks',
    'intake',
    'expected',
    'remote',
    'matching',
    'items',
    'spreadsheet',
    'reporting',
    'payment-core',
    'payment-file',
    'findings',
    'db',
    'values',
    ...leaves,
  ],
  // Above the run, whose lock it takes.
  retention: [
    'archive',
    'run',
    'delivery',
    'audit',
    'matching',
    'items',
    'reporting',
    'findings',
    'db',
    'values',
    ...leaves,
  ],
  delivery: ['remote', 'reporting', 'db', 'values', ...leaves],
  // Over the payment core's entry point; only the command line starts it.
  http: ['config', 'metrics', 'payment-core', 'webhooks', 'db', 'values', ...leaves],
  alerts: ['config', 'items', 'expected', 'remote', 'db', 'values', ...leaves],
  metrics: ['items', 'expected', 'remote', 'db', 'values', ...leaves],
  webhooks: ['payment-core', 'db', 'values', ...leaves],
  // Reads the log; whoever acts adds to it through db.
  audit: ['db', ...leaves],
  demo: ['run', 'payment-file', 'remote', 'intake', 'db', 'values', ...leaves],
  config: ['archive', 'remote', 'values', ...leaves],
  expected: ['remote', 'db', 'values', ...leaves],
  // Downloads and loads files as a run does.
  worker: ['archive', 'intake', 'remote', 'db', 'values', ...leaves],
  run: [
    'archive',
    'delivery',
    'intake',
    'expected',
    'remote',
    'matching',
    'items',
    'reporting',
    'payment-core',
    'db',
    'values',
    ...leaves,
  ],
  intake: ['archive', 'damaged-input', 'spreadsheet', 'remote', 'settlement-file', 'db', 'values', ...leaves],
  matching: ['payment-core', 'findings', 'db', 'values', ...leaves],
  review: ['matching', 'items', 'reporting', 'findings', 'db', 'values', ...leaves],
  items: ['damaged-input', 'spreadsheet', 'findings', 'db', 'values', ...leaves],
  reporting: ['archive', 'settlement-file', 'spreadsheet', 'findings', 'db', 'values', ...leaves],
  'payment-core': ['payment-file', 'findings', 'db', 'values', ...leaves],
  library: [
    'archive',
    'config',
    'retention',
    'run',
    'intake',
    'listings',
    'findings',
    'matching',
    'items',
    'spreadsheet',
    'payment-core',
    'db',
    'values',
    ...leaves,
  ],
  'index.ts': [
    'library',
    'retention',
    'run',
    'intake',
    'listings',
    'findings',
    'matching',
    'items',
    'payment-core',
    'values',
    ...leaves,
  ],
  move: ['db', 'values', ...leaves],
  shards: ['db', 'values', ...leaves],
  listings: ['findings', 'db', 'values', ...leaves],
  'payment-file': ['damaged-input', 'db', 'values', ...leaves],
  'damaged-input': ['values'],
  remote: ['disk', 'errors.ts', 'interruption.ts', 'values'],
  archive: ['values', ...leaves],
  disk: ['errors.ts', 'values'],
  'settlement-file': ['damaged-input', 'values', ...leaves],
  spreadsheet: ['damaged-input', 'values', ...leaves],
  findings: ['db', 'values'],
  db: ['values', ...leaves],
  values: [],
  'package-files.ts': [],
  'package-version.ts': ['package-files.ts'],
  'port-unavailable.ts': ['disk', 'errors.ts'],
  'host-mark.ts': [],
  'is-alive.ts': ['disk'],
  'differing-sums.ts': ['errors.ts', 'values'],
  'errors.ts': ['values'],
  'error-guide.ts': ['errors.ts'],
  'progress.ts': [],
  'all-done.ts': [],
  'interruption.ts': ['errors.ts'],
  'serially.ts': [],
  'ends-within.ts': [],
  'outcome.ts': ['errors.ts', 'values'],
  'fail-point.ts': ['errors.ts'],
  'logger.ts': ['values', 'errors.ts'],
};

/** The sub-folders of `reporting`, and which others each of them may import; the files beside them import all. */
const allowedInReporting: Record<string, readonly string[]> = {
  scope: [],
  folder: [],
  totals: ['scope'],
  tables: ['scope', 'folder', 'totals'],
  reconciled: ['scope', 'folder', 'totals'],
  workbook: ['folder', 'tables'],
  page: ['folder', 'totals', 'tables', 'workbook'],
};

/** The same for `matching`. All of them import files beside them, which hold what every step needs. */
const allowedInMatching: Record<string, readonly string[]> = {
  'changed-payments': [],
  chargebacks: ['changed-payments'],
  'manual-links': ['chargebacks'],
  deliveries: ['manual-links', 'chargebacks'],
  discrepancies: ['deliveries', 'changed-payments', 'chargebacks'],
  explain: ['discrepancies'],
};

/** The sub-folders of `payment-core` from the lowest layer to the highest. Each imports only those of lower layers. */
const layersOfPaymentCore: readonly (readonly string[])[] = [
  ['values', 'fields', 'results'],
  ['instruments', 'secrets'],
  ['validation'],
  ['responses'],
  ['connectors'],
  ['core'],
  ['throttling', 'idempotency', 'stored-payments'],
  ['events'],
  ['stored-registrations'],
  ['payments'],
  ['registrations', 'chargebacks', 'query', 'reporting', 'simulator'],
  ['checkouts', 'jobs'],
  ['calls'],
];

/** -1 for a folder that has no layer, and for the files beside the folders. */
const layerOf = (folder: string) => layersOfPaymentCore.findIndex((folders) => folders.includes(folder));

/** The files that a file imports, directly or through others. */
function reachedFrom(file: string): readonly string[] {
  const reached = new Set([file]);
  // A set also visits what is added during the loop.
  for (const one of reached) {
    for (const imported of importsOf(one)) reached.add(imported);
  }
  return [...reached].slice(1);
}

/** The sub-folder of a part that a file is in; undefined for the files beside the folders. */
const subFolderOf = (file: string) => (file.split('/').length > 2 ? file.split('/')[1] : undefined);

/** The imports of a part from one sub-folder to another, or to a file beside them, that are not allowed. */
function importsBetweenSubFolders(part: string, allowed: (from: string, to?: string) => boolean): string[] {
  return files
    .filter((file) => partOf(file) === part)
    .flatMap((file) => {
      const from = subFolderOf(file);
      if (from === undefined) return [];
      return importsOf(file)
        .filter((imported) => partOf(imported) === part && subFolderOf(imported) !== from)
        .filter((imported) => !allowed(from, subFolderOf(imported)))
        .map((imported) => `${file} -> ${imported}`);
    });
}

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

  test('the sub-folders of reporting import each other in one direction', () => {
    const allowed = (from: string, to = '') => allowedInReporting[from]?.includes(to) === true;
    expect(importsBetweenSubFolders('reporting', allowed)).toEqual([]);
  });

  test('the sub-folders of matching import each other in one direction', () => {
    const allowed = (from: string, to?: string) =>
      to === undefined || allowedInMatching[from]?.includes(to) === true;
    expect(importsBetweenSubFolders('matching', allowed)).toEqual([]);
  });

  test('the sub-folders of the payment core import each other in one direction', () => {
    const allowed = (from: string, to = '') => layerOf(to) >= 0 && layerOf(to) < layerOf(from);
    expect(importsBetweenSubFolders('payment-core', allowed)).toEqual([]);
  });

  test('no sub-folder of any part imports what leads back into it', () => {
    const wrong = files.flatMap((file) => {
      const from = subFolderOf(file);
      if (from === undefined) return [];
      const isInside = (other: string) => partOf(other) === partOf(file) && subFolderOf(other) === from;
      return importsOf(file)
        .filter((imported) => partOf(imported) === partOf(file) && !isInside(imported))
        .flatMap((imported) => {
          const back = reachedFrom(imported).find(isInside);
          return back === undefined ? [] : [`${file} -> ${imported} -> … -> ${back}`];
        });
    });
    expect(wrong).toEqual([]);
  });

  test('the payment core is imported by its entry point only', () => {
    const wrong = files
      .filter((file) => partOf(file) !== 'payment-core')
      .flatMap((file) => importsOf(file).map((imported) => `${file} -> ${imported}`))
      .filter((pair) => /-> payment-core\//.test(pair) && !pair.endsWith('-> payment-core/index.ts'));
    expect(wrong).toEqual([]);
  });

  test('there are no cycles, not of types either, nor of what is loaded later', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, trail: string[]): void => {
      if (trail.includes(file)) {
        cycles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
        return;
      }
      if (done.has(file)) return;
      for (const imported of importsOf(file)) {
        visit(imported, [...trail, file]);
      }
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

/** The folders that may write a table; everybody may read. */
const writers: Readonly<Record<string, readonly string[]>> = {
  accept_checks: ['items'],
  alert_conditions: ['alerts'],
  alert_messages: ['alerts'],
  already_known_rows: ['intake'],
  api_tokens: ['http'],
  applied_links: ['matching'],
  awaited_identifiers: ['matching'],
  audit_checkpoints: ['audit'],
  // Everything adds events through db; retention removes old ones.
  audit_events: ['audit', 'db'],
  audit_head: ['db'],
  chargeback_links: ['matching'],
  // Retention removes old ones.
  checkouts: ['payment-core', 'retention'],
  database_moves: ['move'],
  decisions: ['items'],
  delivery_keys: ['matching'],
  // A run notes in them which are accepted (`items`), and retention removes such notes with the records.
  discrepancies: ['matching', 'items', 'retention'],
  discrepancy_changes: ['matching'],
  file_withdrawals: ['intake'],
  // Retention removes old keys, jobs and fires.
  idempotency_keys: ['payment-core', 'retention'],
  job_runs: ['payment-core', 'retention'],
  // A run offers its files, workers claim them.
  file_claims: ['intake'],
  file_downloads: ['intake'],
  jobs: ['payment-core', 'retention'],
  match_candidates: ['matching'],
  match_changes: ['matching'],
  packed_files: ['intake'],
  payment_changes: ['payment-file'],
  payment_details: ['payment-core'],
  // Retention removes old ones.
  payment_events: ['payment-core', 'retention'],
  payments: ['payment-core', 'payment-file'],
  payments_to_check: ['matching'],
  record_matches: ['matching'],
  // With shards there is one part.
  record_parts: ['db', 'shards'],
  registrations: ['payment-core', 'retention'],
  removed_settlements: ['matching'],
  report_deliveries: ['delivery'],
  room_candidates: ['matching'],
  // Retention removes old ones.
  rejected_rows: ['intake', 'retention'],
  row_corrections: ['intake'],
  // Retention removes those of the months that it drops.
  row_places: ['intake', 'retention'],
  remote_files: ['intake'],
  // The fence checks its row for every writer; a run moves it.
  run_fence: ['db', 'run', 'shards'],
  run_rechecks: ['matching'],
  // Retention marks removed reports.
  runs: ['run', 'retention'],
  // A re-run takes files over, and retention retires them and marks removed bytes.
  settlement_files: ['intake', 'retention'],
  // Written by COPY into the table of a part, whose name is in no text.
  settlement_records: ['intake'],
  settlement_checks: ['matching'],
  // The core adds them with the outcome of a payment.
  status_updates: ['payment-core', 'webhooks'],
  throttle_windows: ['payment-core'],
  uncounted_records: ['matching'],
  // A trigger on payment_events adds deliveries; retention removes old ones with their events.
  webhook_deliveries: ['webhooks', 'retention'],
  webhooks: ['webhooks'],
  withdrawn_files: ['matching'],
  workers: ['worker'],
};

describe('tables', () => {
  test('every table has its writers', () => {
    const declared = files
      .filter((file) => file.startsWith('db/schema/'))
      .flatMap((file) =>
        [...(textOf.get(file) ?? '').matchAll(/Table\(\s*'(\w+)'/g)].map(([, name]) => name),
      );
    expect(declared.sort()).toEqual(Object.keys(writers).sort());
  });

  test('nobody else writes one, in raw SQL either', () => {
    const statement =
      /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?|copy)\s+"?(\w+)/gi;
    const wrong = files.flatMap((file) =>
      [...(textOf.get(file) ?? '').matchAll(statement)]
        .map(([, table = '']) => table)
        .filter((table) => writers[table]?.includes(partOf(file)) === false)
        .map((table) => `${file} writes ${table}`),
    );
    expect(wrong).toEqual([]);
  });
});

/** A file as a tree, parsed once for all rules; comments are read from its text. */
function treeOf(file: string): ts.SourceFile {
  const options = {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  };
  const tree = trees.get(file) ?? ts.createSourceFile(file, textOf.get(file) ?? '', options, true);
  trees.set(file, tree);
  return tree;
}

const trees = new Map<string, ts.SourceFile>();

test('every export has a docstring', () => {
  const exported = files.flatMap((file) => declarationsExportedBy(file));
  const undocumented = exported.filter(({ documented }) => !documented);
  // Overloads share one docstring.
  const missing = undocumented.filter(
    ({ file, name }) =>
      !exported.some((other) => other.documented && other.file === file && other.name === name),
  );
  expect(exported.length).toBeGreaterThan(3000);
  expect(missing.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

/** Names that a file passes on from another one are documented there. */
function declarationsExportedBy(file: string) {
  const tree = treeOf(file);
  return tree.statements.filter(isExported).map((statement) => {
    const comments = ts.getLeadingCommentRanges(tree.text, statement.pos) ?? [];
    const documented = comments.some(({ pos }) => tree.text.startsWith('/**', pos));
    return { file, name: nameOfStatement(statement), documented };
  });
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function nameOfStatement(statement: ts.Statement): string {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText()).join(', ');
  }
  // Every other declaration that can be exported has a name.
  return ts.getNameOfDeclaration(statement as ts.DeclarationStatement)?.getText() ?? 'default';
}

test('no function is longer than 70 lines', () => {
  const long = files.flatMap((file) => {
    const source = treeOf(file);
    const found: string[] = [];
    const line = (position: number) => source.getLineAndCharacterOfPosition(position).line;
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && line(node.end) - line(node.getStart(source)) >= 70) {
        found.push(`${file}: ${nameOf(node)}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
  expect(long).toEqual([]);
});

function nameOf(node: ts.Node): string {
  const named = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) ? node : node.parent;
  return ts.isFunctionDeclaration(named) || ts.isMethodDeclaration(named) || ts.isVariableDeclaration(named)
    ? (named.name?.getText() ?? 'unnamed')
    : 'unnamed';
}

describe('names', () => {
  test('a run finishes a file: only money is settled', () => {
    expect(files.filter((file) => /settled_?run|settledFiles/i.test(textOf.get(file) ?? ''))).toEqual([]);
  });

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

test('a test that needs something of the machine gives the reason why it is skipped without it', () => {
  // Without a reason, a run fails where the test is skipped, which is seen on such a machine only.
  const without = testFiles().flatMap((file) => {
    const text = readFileSync(path.join(sourceRoot, '..', file), 'utf8');
    return [...text.matchAll(/^ *(?:describe|test)\.(?:runIf|skipIf)\(/gm)]
      .map(({ index }) => text.slice(index, index + 300))
      .filter((beginning) => !beginning.includes('orSkipped'))
      .map((beginning) => `${file}: ${beginning.split('\n')[0]?.trim()}`);
  });
  expect(without).toEqual([]);
});
