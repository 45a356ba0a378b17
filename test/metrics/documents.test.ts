import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { metricTables, withTables } from '../../scripts/write-readme-tables.js';
import { metricCatalogue, metricNames, type MetricDefinition } from '../../src/metrics/metric-catalogue.js';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

const definitions: Readonly<Record<string, MetricDefinition>> = metricCatalogue;

/** The metrics of an expression; a histogram is read through its buckets, sum and count. */
function metricsOf(expression: string): string[] {
  const withoutLabels = expression.replace(/\{[^}]*\}|\bby \([^)]*\)/g, '');
  return (withoutLabels.match(/\b(?:recon|process)_\w+/g) ?? []).map((name) =>
    name.replace(/(?<=^recon_http_request_duration_seconds)_(?:bucket|sum|count)$/, ''),
  );
}

/** The labels of an expression, except those that Prometheus adds. */
function labelsOf(expression: string): string[] {
  const matched = [...expression.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, name = '']) => name);
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  return [...matched, ...grouped].filter((name) => !['job', 'instance', 'le'].includes(name));
}

test('docs/metrics.md has the metrics of the catalogue', () => {
  const page = read('docs/metrics.md');
  expect(withTables(page, metricTables)).toBe(page);
  const examples = /```promql\n([^]*?)```/.exec(page)?.[1] ?? '';
  const named = metricsOf(examples);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => definitions[name] === undefined)).toEqual([]);
});

test('every name is as Prometheus wants it', () => {
  for (const name of metricNames) {
    const { type, help } = metricCatalogue[name];
    expect(name).toMatch(/^(?:recon|process)_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(help).toMatch(/\.$/);
  }
});

test('the dashboard asks only for metrics and labels that exist, and shows every metric of recon', () => {
  const { panels, annotations } = JSON.parse(read('deploy/grafana/recon.json')) as Dashboard;
  const targets = panels.flatMap((panel) => panel.targets);
  const expressions = [...targets, ...annotations.list].map(({ expr }) => expr);
  const asked = new Set(expressions.flatMap(metricsOf));
  expect([...asked].filter((name) => definitions[name] === undefined)).toEqual([]);
  for (const expression of expressions) {
    const known = metricsOf(expression).flatMap((name) => definitions[name]?.labels ?? []);
    expect(labelsOf(expression).filter((label) => !known.includes(label))).toEqual([]);
  }
  for (const { expr, legendFormat } of targets) {
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
    const known = [...metricsOf(expr).flatMap((name) => definitions[name]?.labels ?? []), 'instance'];
    expect(shown.filter((label) => !known.includes(label))).toEqual([]);
  }
  const unseen = metricNames.filter((name) => !asked.has(name));
  expect(unseen).toEqual([
    'recon_build_info',
    'recon_figures_timestamp_seconds',
    'recon_items_timestamp_seconds',
    'recon_run_active',
    'recon_next_run_timestamp_seconds',
    'process_start_time_seconds',
  ]);
});

test('no two panels of the dashboard overlap or have the same number', () => {
  const { panels } = JSON.parse(read('deploy/grafana/recon.json')) as Dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const overlapping = panels.flatMap((a, index) =>
    panels
      .slice(index + 1)
      .filter(
        ({ gridPos: b }) =>
          a.gridPos.x < b.x + b.w &&
          b.x < a.gridPos.x + a.gridPos.w &&
          a.gridPos.y < b.y + b.h &&
          b.y < a.gridPos.y + a.gridPos.h,
      )
      .map((b) => `${a.title} and ${b.title}`),
  );
  expect(overlapping).toEqual([]);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
});
