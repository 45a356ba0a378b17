import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { metricCatalogue, metricNames, type MetricDefinition, type MetricName } from './metric-catalogue.js';
import type { Sample } from './sample.js';

/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** As in the OpenAPI document, such as `/v1/payments/:id`; null for a path that does not exist. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
}

/** Which metrics a process has. */
export interface MetricsOptions {
  readonly of: 'schedule' | 'serve' | 'worker';
  /** The gauges as they are now; called for each scrape. */
  readonly samples: () => Promise<readonly Sample[]>;
}

const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of one process, in the text format of Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #samples: MetricsOptions['samples'];
  readonly #gauges = new Map<MetricName, Gauge>();
  readonly #counters = new Map<MetricName, Counter>();
  readonly #histograms = new Map<MetricName, Histogram>();

  constructor({ of, samples }: MetricsOptions) {
    this.#samples = samples;
    const shared: string[] = ['everywhere', 'process', of, ...(of === 'worker' ? [] : ['figures'])];
    for (const name of metricNames) {
      const definition = metricCatalogue[name];
      if (shared.includes(definition.of)) this.#register(name, definition);
    }
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  observe({ method, route, status, seconds }: AnsweredRequest): void {
    // Paths that do not exist are one series, however many a scanner tries.
    const known = route ?? 'none';
    this.#counters.get('recon_http_requests_total')?.inc({ method, route: known, status });
    this.#histograms.get('recon_http_request_duration_seconds')?.observe({ route: known }, seconds);
  }

  async render(): Promise<string> {
    setSamples(await this.#samples(), this.#gauges, this.#counters);
    return this.#registry.metrics();
  }

  #register(name: MetricName, { type, help, labels }: MetricDefinition): void {
    const options = { name, help, labelNames: [...labels], registers: [this.#registry] };
    if (type === 'gauge') this.#gauges.set(name, new Gauge(options));
    else if (type === 'counter') this.#counters.set(name, new Counter(options));
    else this.#histograms.set(name, new Histogram({ ...options, buckets: durationBuckets }));
  }
}

/** The text of a one-shot run, which has only the metrics of the database. */
export async function renderOnce(samples: readonly Sample[]): Promise<string> {
  const registry = new Registry();
  const gauges = new Map<MetricName, Gauge>();
  for (const name of metricNames) {
    const { of, help, labels } = metricCatalogue[name];
    if (of !== 'everywhere' && of !== 'figures') continue;
    gauges.set(name, new Gauge({ name, help, labelNames: [...labels], registers: [registry] }));
  }
  setSamples(samples, gauges, new Map());
  return registry.metrics();
}

/** Replaces all gauges. What is no longer there, such as a code without items, has no series any more. */
function setSamples(
  samples: readonly Sample[],
  gauges: ReadonlyMap<MetricName, Gauge>,
  counters: ReadonlyMap<MetricName, Counter>,
): void {
  for (const gauge of gauges.values()) {
    gauge.reset();
    // A gauge without labels would be 0 after that, and an exit code that is not known is not 0.
    gauge.remove({});
  }
  // Others, such as that of requests, count themselves.
  for (const name of new Set(samples.map((each) => each.name))) counters.get(name)?.reset();
  for (const { name, labels, value } of samples) {
    gauges.get(name)?.set(labels, value);
    counters.get(name)?.inc(labels, value);
  }
}
