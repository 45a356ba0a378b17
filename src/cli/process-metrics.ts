import type { Sql } from '../db/client.js';
import type { Logger } from '../logger.js';
import { FigureReader } from '../metrics/figures.js';
import { Metrics } from '../metrics/metrics.js';
import { processSamples } from '../metrics/process-samples.js';
import type { Sample } from '../metrics/sample.js';
import { samplesOf } from '../metrics/samples.js';
import type { CommandContext } from './command-context.js';

interface ProcessMetricsOptions {
  readonly of: 'schedule' | 'serve';
  readonly sql: Sql;
  readonly logger: Logger;
  /** False: whoever can read them may not know about money and sources. */
  readonly hasBusinessFigures: boolean;
  /** Further gauges that are counted in the database, at most every 15 seconds. */
  readonly counted?: () => Promise<readonly Sample[]>;
  /** Further gauges, as they are now. */
  readonly more?: () => readonly Sample[];
}

/** The metrics of a command that stays up. */
export function processMetrics(
  context: CommandContext,
  {
    of,
    sql,
    logger,
    hasBusinessFigures,
    counted = () => Promise.resolve([]),
    more = () => [],
  }: ProcessMetricsOptions,
): Metrics {
  const { sources, timezone } = context.config();
  const figures = new FigureReader({ sql, logger, sources, timezone, clock: Date.now, counted });
  return new Metrics({
    of,
    samples: async () => {
      const read = await figures.read();
      const shown = hasBusinessFigures ? read : { ...read, state: null, work: null, counted: [] };
      return [...samplesOf(shown), ...processSamples(), ...more()];
    },
  });
}
