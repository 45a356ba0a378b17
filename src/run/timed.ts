import type { Logger } from 'pino';

/** The steps of a run whose durations are kept. `intake` is fetching and storing together, and contains `load`. */
export type Stage = 'intake' | 'receive' | 'load' | 'match' | 'count' | 'report';

/**
 * Milliseconds by stage. A stage that happens once per file is added up: with several files at once, `load` may be more
 * than the `intake` around it.
 */
export type StageTimes = Map<Stage, number>;

/** Does a stage, logs how long it took, and adds that to the times of the run. */
export async function timed<T>(
  logger: Logger,
  times: StageTimes,
  stage: Stage,
  work: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const result = await work();
  tookTime(logger, times, stage, Math.round(performance.now() - started));
  return result;
}

/** Logs how long a stage took that was done elsewhere, and adds that to the times of the run. */
export function tookTime(logger: Logger, times: StageTimes, stage: Stage, elapsedMs: number): void {
  times.set(stage, (times.get(stage) ?? 0) + elapsedMs);
  logger.info({ stage, elapsedMs }, 'stage done');
}
