import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { exitCodeGuide } from '../src/error-guide.js';
import { errorCatalogue, exitCodes } from '../src/errors.js';
import { discrepancyCodes } from '../src/findings/discrepancy-codes.js';
import { metricCatalogue } from '../src/metrics/metric-catalogue.js';
import { issueCodes } from '../src/settlement-file/row-issues.js';
import { inputFileTables } from './input-file-tables.js';
import { markdownTable as table } from './markdown-table.js';
import { runbookTables } from './runbook-errors.js';

/**
 * Writes the tables of codes in the README and in pages of `docs` from the catalogues:
 * `npx tsx scripts/write-readme-tables.ts`. Tests compare the pages with the catalogues.
 */

export const readmeTables: Readonly<Record<string, string>> = {
  'exit codes': table(
    ['code', 'meaning'],
    Object.entries(exitCodeGuide).map(([name, { short }]) => [
      // The guide has exactly the names of the codes.
      String(exitCodes[name as keyof typeof exitCodes]),
      short.replace('--fail-on SEVERITY', '`$&`').replace('new:SEVERITY', '`$&`'),
    ]),
  ),
  'error codes': table(
    ['exit code', 'error codes'],
    Object.values(exitCodes).flatMap((exitCode) => {
      const codes = Object.entries(errorCatalogue).filter(([, error]) => error.exitCode === exitCode);
      return codes.length === 0 ? [] : [[String(exitCode), codes.map(([code]) => `\`${code}\``).join(', ')]];
    }),
  ),
};

/** The tables of `docs/codes.md`. */
export const codeTables: Readonly<Record<string, string>> = {
  errors: table(
    ['code', 'exit code', 'what to do'],
    Object.entries(errorCatalogue).map(([code, { exitCode, advice }]) => [
      `\`${code}\``,
      String(exitCode),
      advice,
    ]),
  ),
  issues: table(
    ['code', 'meaning'],
    Object.entries(issueCodes).map(([code, sentence]) => [`\`${code}\``, sentence]),
  ),
  discrepancies: table(
    ['code', 'severity', 'when', 'what to do'],
    Object.entries(discrepancyCodes).map(([code, { severity, when, remedy }]) => [
      `\`${code}\``,
      severity,
      when,
      remedy,
    ]),
  ),
};

const whoHasIt = {
  everywhere: 'all',
  figures: 'all except worker',
  process: 'schedule, serve, worker',
  schedule: 'schedule',
  serve: 'serve',
  worker: 'worker',
} as const;

/** The table of `docs/metrics.md`. */
export const metricTables: Readonly<Record<string, string>> = {
  metrics: table(
    ['metric', 'type', 'labels', 'where', 'meaning'],
    Object.entries(metricCatalogue).map(([name, { type, labels, of, help }]) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(', '),
      whoHasIt[of],
      help,
    ]),
  ),
};

/** A page with its generated tables, made from the current catalogues. */
export function withTables(page: string, tables = readmeTables): string {
  return Object.entries(tables).reduce(
    (text, [name, content]) =>
      text.replace(
        new RegExp(`(<!-- table: ${name} -->\n)[^]*?(\n<!-- end -->)`),
        (_all, begin: string, end: string) => `${begin}\n${content}\n${end}`,
      ),
    page,
  );
}

const root = path.resolve(import.meta.dirname, '..');
if (process.argv[1]?.endsWith('write-readme-tables.ts') === true) {
  for (const [name, tables] of [
    ['README.md', readmeTables],
    ['docs/codes.md', codeTables],
    ['docs/input-files.md', inputFileTables],
    ['docs/runbook.md', runbookTables],
    ['docs/metrics.md', metricTables],
  ] as const) {
    const file = path.join(root, name);
    writeFileSync(file, withTables(readFileSync(file, 'utf8'), tables));
  }
}
