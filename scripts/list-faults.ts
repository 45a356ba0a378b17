import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { faultMatrix, type Fault } from '../test/faults/fault-matrix.js';

/**
 * Lists which test covers which fault: `npm run faults:list`. Exits with 1 when a fault has neither a test nor a
 * reason, and when the matrix and the tests no longer agree.
 */

/** A name in a test file that begins with the numbers of faults. */
export interface FaultTest {
  readonly numbers: readonly number[];
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** The conditions under which the test runs, as they are written in the code; empty when it always runs. */
  readonly onlyWhere: readonly string[];
  /** Always skipped (`skip`, `todo`), with the comment above it. */
  readonly skipped: { readonly reason: string } | null;
}

const label = /^F\d+\b/;

/** Every name of a test file that begins with a number: of a test, of a group, or of a row in a table of cases. */
export function findFaultTests(file: string, text: string): FaultTest[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: FaultTest[] = [];
  const visit = (node: ts.Node): void => {
    const name = nameIn(node);
    if (name !== undefined && label.test(name)) found.push(describeName(source, node, name));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function nameIn(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) return node.text;
  return undefined;
}

function describeName(source: ts.SourceFile, node: ts.Node, name: string): FaultTest {
  const onlyWhere: string[] = [];
  let skipped: FaultTest['skipped'] = null;
  for (let at = node.parent as ts.Node | undefined; at !== undefined; at = at.parent) {
    if (!ts.isCallExpression(at)) continue;
    const modifiers = modifiersOf(at);
    onlyWhere.push(...modifiers.flatMap(({ condition }) => condition ?? []));
    if (modifiers.some((modifier) => modifier.isSkip)) skipped = { reason: commentAbove(source, at) };
  }
  return {
    numbers: [...new Set([...name.matchAll(/\bF(\d+)\b/g)].map((match) => Number(match[1])))],
    name,
    file: source.fileName,
    line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
    onlyWhere,
    skipped,
  };
}

interface Modifier {
  readonly isSkip: boolean;
  readonly condition?: string;
}

/** `describe.runIf(isRoot)(…)` and `test.skip.each(…)(…)`, from the outside in. */
function modifiersOf(call: ts.CallExpression): Modifier[] {
  const modifiers: Modifier[] = [];
  let at: ts.Expression = call.expression;
  for (;;) {
    if (ts.isCallExpression(at)) {
      const condition = at.arguments[0]?.getText();
      const by = ts.isPropertyAccessExpression(at.expression) ? at.expression.name.text : '';
      if (condition !== undefined && by === 'runIf') modifiers.push({ isSkip: false, condition });
      if (condition !== undefined && by === 'skipIf') {
        modifiers.push({ isSkip: false, condition: `not ${condition}` });
      }
      at = at.expression;
    } else if (ts.isPropertyAccessExpression(at)) {
      if (['skip', 'todo'].includes(at.name.text)) modifiers.push({ isSkip: true });
      at = at.expression;
    } else return modifiers;
  }
}

function commentAbove(source: ts.SourceFile, node: ts.Node): string {
  const ranges = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [];
  return ranges
    .map(({ pos, end }) => source.text.slice(pos, end).replace(/^\/[/*]+\s*|\s*\*\/$/g, ''))
    .join(' ');
}

/** Every test file of the project. */
export function allFaultTests(root: string): FaultTest[] {
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join('test', name.split(path.sep).join('/')))
    .filter((name) => /\.(test|campaign)\.ts$/.test(name))
    .sort()
    .flatMap((name) => findFaultTests(name, readFileSync(path.join(root, name), 'utf8')));
}

/** The differences between the matrix and the tests; empty when they agree. */
export function disagreements(faults: readonly Fault[], tests: readonly FaultTest[]): string[] {
  const running = (number: number) =>
    tests.some(({ numbers, skipped }) => skipped === null && numbers.includes(number));
  const known = new Set(faults.map(({ number }) => number));
  return [
    ...faults.flatMap(({ number, title, reason }) => {
      if (reason === undefined) {
        return running(number) ? [] : [`F${number} (${title}) has neither a test nor a reason`];
      }
      return running(number) ? [`F${number} (${title}) has a test, and a reason for having none`] : [];
    }),
    ...tests.flatMap(({ numbers, file, line }) =>
      numbers
        .filter((number) => !known.has(number))
        .map((number) => `F${number} at ${file}:${line} is not a fault of the matrix`),
    ),
    ...tests
      .filter(({ skipped }) => skipped?.reason === '')
      .map(
        ({ name, file, line }) =>
          `${file}:${line} (${name}) is skipped, and no comment above it gives the reason`,
      ),
  ];
}

/** One line per fault, with the places of its tests below it. */
export function listing(faults: readonly Fault[], tests: readonly FaultTest[]): string {
  return faults
    .flatMap(({ number, title, group, reason }) => {
      const files = new Map<string, string[]>();
      for (const test of tests.filter(({ numbers }) => numbers.includes(number))) {
        files.set(test.file, [...(files.get(test.file) ?? []), whereItStands(test)]);
      }
      return [
        `F${number}  ${title} (${group})`,
        ...[...files].map(([file, places]) => `      ${file}:${[...new Set(places)].join(', ')}`),
        ...(reason === undefined ? [] : [`      no test: ${reason}`]),
      ];
    })
    .join('\n');
}

function whereItStands({ line, onlyWhere, skipped }: FaultTest): string {
  if (skipped !== null) return `${line} (skipped: ${skipped.reason})`;
  return onlyWhere.length === 0 ? String(line) : `${line} (only where ${onlyWhere.join(' and ')})`;
}

if (process.argv[1]?.endsWith('list-faults.ts') === true) {
  // A reader such as `head` may stop before the end.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const tests = allFaultTests(path.resolve(import.meta.dirname, '..'));
  const wrong = disagreements(faultMatrix, tests);
  const tested = faultMatrix.filter(({ reason }) => reason === undefined).length - untested(wrong);
  process.stdout.write(`${listing(faultMatrix, tests)}\n\n`);
  process.stdout.write(
    `${faultMatrix.length} faults: ${tested} with a test, ${faultMatrix.filter(({ reason }) => reason !== undefined).length} with a reason\n`,
  );
  for (const line of wrong) process.stdout.write(`${line}\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

function untested(wrong: readonly string[]): number {
  return wrong.filter((line) => line.endsWith('has neither a test nor a reason')).length;
}
