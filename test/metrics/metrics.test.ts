import { describe, expect, test } from 'vitest';
import { metricCatalogue, metricNames } from '../../src/metrics/metric-catalogue.js';
import { Metrics, renderOnce } from '../../src/metrics/metrics.js';
import { processSamples } from '../../src/metrics/process-samples.js';
import { samplesOf } from '../../src/metrics/samples.js';
import type { Figures } from '../../src/metrics/figures.js';
import { namesOf, seriesOf } from './series.js';

const figures: Figures = {
  isDatabaseUp: true,
  state: {
    isRunActive: false,
    lastRun: {
      startedAt: 1_800_000_000,
      endedAt: 1_800_000_060,
      exitCode: 8,
      stages: { intake: 2500, match: 1250 },
      files: { loaded: 2, rejected: 1 },
      rows: { accepted: 100, rejected: 3, alreadyKnown: 7 },
    },
    lastCompletedAt: 1_800_000_060,
    lastFileAt: new Map([
      ['bank', 1_799_999_000.5],
      ['acquirer', null],
    ]),
    version: '1 0',
    readAtMs: 1_800_000_100_000,
  },
  work: {
    items: [
      {
        ...{ code: 'NOT_MATCHED', currency: 'EUR', open: 3, waiting: 1, new: 0 },
        ...{ missing: 1050n, surplus: 99n, newMissing: 0n, newSurplus: 0n },
      },
      {
        ...{ code: 'CLAIM_DIFFERS', currency: null, open: 2, waiting: 0, new: 0 },
        ...{ missing: 0n, surplus: 0n, newMissing: 0n, newSurplus: 0n },
      },
    ],
    expected: ['missing', 'missing', 'arrived'].map((status) => ({
      ...{ source: 'bank', date: '2026-11-19', due: '2026-11-20T07:00:00Z', files: [], problems: [] },
      status: status as 'missing',
    })),
    readAtMs: 1_800_000_090_000,
  },
};

test('figures become series, and money is in units of its currency', async () => {
  const series = seriesOf(await renderOnce(samplesOf(figures)));
  expect(Object.fromEntries([...series].filter(([name]) => !name.startsWith('recon_build_info')))).toEqual({
    recon_database_up: 1,
    recon_figures_timestamp_seconds: 1_800_000_100,
    recon_items_timestamp_seconds: 1_800_000_090,
    recon_run_active: 0,
    recon_last_run_start_timestamp_seconds: 1_800_000_000,
    recon_last_run_end_timestamp_seconds: 1_800_000_060,
    recon_last_run_exit_code: 8,
    'recon_last_run_stage_seconds{stage="intake"}': 2.5,
    'recon_last_run_stage_seconds{stage="match"}': 1.25,
    'recon_last_run_rows{result="accepted"}': 100,
    'recon_last_run_rows{result="rejected"}': 3,
    'recon_last_run_rows{result="already_known"}': 7,
    'recon_last_run_files{status="loaded"}': 2,
    'recon_last_run_files{status="rejected"}': 1,
    recon_last_completed_run_end_timestamp_seconds: 1_800_000_060,
    'recon_source_last_file_timestamp_seconds{source="bank"}': 1_799_999_000.5,
    'recon_source_last_file_timestamp_seconds{source="acquirer"}': 0,
    'recon_expected_deliveries{source="bank",status="missing"}': 2,
    'recon_expected_deliveries{source="bank",status="arrived"}': 1,
    'recon_items{code="NOT_MATCHED",currency="EUR",status="open"}': 3,
    'recon_items{code="NOT_MATCHED",currency="EUR",status="waiting"}': 1,
    'recon_items{code="CLAIM_DIFFERS",currency="",status="open"}': 2,
    'recon_items{code="CLAIM_DIFFERS",currency="",status="waiting"}': 0,
    'recon_items_at_risk{code="NOT_MATCHED",currency="EUR",direction="to_receive"}': 10.5,
    'recon_items_at_risk{code="NOT_MATCHED",currency="EUR",direction="to_return"}': 0.99,
  });
});

test('what is not known has no value: an exit code is not 0 before the first run', async () => {
  const text = await renderOnce(samplesOf({ isDatabaseUp: false, state: null, work: null }));
  expect([...seriesOf(text).keys()].map((name) => name.replace(/\{.*/, ''))).toEqual([
    'recon_build_info',
    'recon_database_up',
  ]);
});

describe('a process that stays up', () => {
  const metricsOf = (of: 'serve' | 'schedule', current: () => Figures) =>
    new Metrics({ of, samples: () => Promise.resolve([...samplesOf(current()), ...processSamples()]) });

  test.each(['serve', 'schedule'] as const)(
    'recon %s has exactly the metrics of the catalogue',
    async (of) => {
      const text = await metricsOf(of, () => figures).render();
      expect(namesOf(text)).toEqual(
        metricNames.filter((name) =>
          ['everywhere', 'figures', 'process', of].includes(metricCatalogue[name].of),
        ),
      );
      for (const [series] of seriesOf(text)) expect(series).toMatch(/^[a-z_]+(?:\{[^}]*\})?$/);
    },
  );

  test('a series that has no value any more disappears', async () => {
    let current = figures;
    const metrics = metricsOf('schedule', () => current);
    expect(await metrics.render()).toContain('recon_items{code="NOT_MATCHED"');
    current = { ...figures, work: { items: [], expected: [], readAtMs: 0 } };
    const text = await metrics.render();
    expect(text).not.toContain('recon_items{');
    expect(text).not.toContain('recon_expected_deliveries{');
  });

  test('the number of series does not depend on the requests: unknown paths are one route', async () => {
    const metrics = metricsOf('serve', () => figures);
    metrics.observe({ method: 'GET', route: null, status: 404, seconds: 0.001 });
    const before = seriesOf(await metrics.render()).size;
    for (let request = 0; request < 1000; request += 1) {
      metrics.observe({ method: 'GET', route: null, status: 404, seconds: request / 1000 });
    }
    const series = seriesOf(await metrics.render());
    expect(series.size).toBe(before);
    expect(series.get('recon_http_requests_total{method="GET",route="none",status="404"}')).toBe(1001);
    expect(series.get('recon_http_request_duration_seconds_count{route="none"}')).toBe(1001);
  });

  test('a thousand scrapes leave no open file, timer or socket', async () => {
    const metrics = metricsOf('schedule', () => figures);
    await metrics.render();
    const resources = () => process.getActiveResourcesInfo().length;
    const openFiles = async () => seriesOf(await metrics.render()).get('process_open_fds') ?? 0;
    const before = { resources: resources(), files: await openFiles() };
    for (let scrape = 0; scrape < 1000; scrape += 1) await metrics.render();
    expect({ resources: resources(), files: await openFiles() }).toEqual(before);
  });
});
