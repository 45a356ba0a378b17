import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { headingAnchor } from '../../scripts/heading-anchor.js';
import { alertKinds } from '../../src/alerts/alert.js';
import { errorCatalogue } from '../../src/errors.js';

/**
 * Somebody who opens the runbook at night has a code or the kind of an alert. The index at its start leads from each of
 * them to its section.
 */
const runbook = readFileSync(path.resolve(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
const tableOf = (name: string) =>
  new RegExp(`<!-- table: ${name} -->([^]*?)<!-- end -->`).exec(runbook)?.[1] ?? '';
const headings = [...runbook.matchAll(/^#+ (.*)$/gm)].map((match) => headingAnchor(match[1] ?? ''));

describe('the index', () => {
  test('has every error code, in alphabetical order, with a link to its section', () => {
    const links = [...tableOf('index of error codes').matchAll(/\[`([A-Z_]+)`\]\(#([^)]*)\)/g)];
    expect(links.map(([, code]) => code)).toEqual(
      Object.keys(errorCatalogue)
        .map((code) => code.replaceAll('_', ' '))
        .sort()
        .map((words) => words.replaceAll(' ', '_')),
    );
    expect(links.filter(([, code = '', anchor]) => headingAnchor(code) !== anchor)).toEqual([]);
    expect(links.filter(([, , anchor = '']) => !headings.includes(anchor))).toEqual([]);
  });

  test('has every kind of alert, with a link to the steps', () => {
    const rows = [...tableOf('index of alert kinds').matchAll(/^\| `([a-z-]+)` \|.*\]\(#([^)]*)\)/gm)];
    expect(rows.map(([, kind]) => kind)).toEqual(alertKinds);
    expect(rows.filter(([, , anchor = '']) => !headings.includes(anchor))).toEqual([]);
  });

  test('has every situation, each once', () => {
    const index = runbook.slice(0, runbook.indexOf('## Exit codes'));
    const [, situations = ''] = /^## Situations\n([^]*?)^## /m.exec(runbook) ?? [];
    const wanted = [...situations.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);
    const table = /^\| about \|[^]*?\n\n/m.exec(index)?.[0] ?? '';
    const linked = [...table.matchAll(/\[([^\]]*)\]\(/g)].map(([, heading = '']) => heading);
    expect(linked.sort()).toEqual(wanted.sort());
  });

  test('is at the start of the page', () => {
    const firstHeading = runbook.indexOf('\n## ');
    expect(runbook.indexOf('<!-- table: index of error codes -->')).toBeLessThan(firstHeading);
    expect(runbook.indexOf('<!-- table: index of alert kinds -->')).toBeLessThan(firstHeading);
  });
});

test('an error code does not repeat what all codes of its exit code have in common', () => {
  const repeated = tableOf('error codes')
    .split(/^### /m)
    .slice(1)
    .filter((part) => part.split('#### ').length > 3)
    .flatMap((part) => {
      const entries = part.split('#### ').slice(1);
      const lines = entries.flatMap((entry) =>
        entry.split('\n').filter((line) => /^- (?:What it ends|What was kept|Fixed)/.test(line)),
      );
      const half = entries.length / 2;
      return [...new Set(lines)].filter((line) => lines.filter((each) => each === line).length > half);
    });
  expect(repeated).toEqual([]);
});
