import type { MetricName } from './metric-catalogue.js';

/** One value of a gauge. */
export interface Sample {
  readonly name: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
