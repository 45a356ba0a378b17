import type { MetricName } from './metric-catalogue.js';

/** One value of a gauge, read from the database for one scrape. */
export interface Sample {
  readonly name: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
