import type { Logger } from 'pino';

/** Does a stage and logs how long it took, for the benchmark and for operators. */
export async function timed<T>(logger: Logger, stage: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  logger.info({ stage, elapsedMs: Math.round(performance.now() - started) }, 'stage done');
  return result;
}
