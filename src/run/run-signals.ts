/** The signals of one run, made from those of the process and of the run's lock. */
export interface RunSignals {
  /** Aborted with the reason of the first source signal that is aborted: the run stops at its next safe point. */
  readonly signal: AbortSignal;
  /** Aborted later, when every step that could stop has stopped: then connections are closed. */
  readonly giveUp: AbortSignal;
  /** Stops listening to the source signals. */
  end(): void;
}

/** How long a transaction may still take after a signal; closing the connections takes seconds as well. */
const giveUpAfterMs = 2_000;

/**
 * Follows signals until `end`. `AbortSignal.any` has no end: the process's signal lives for as long as the
 * scheduler and would keep every run, with its connections and their sockets (measured: 3 objects per run).
 */
export function followSignals(sources: readonly AbortSignal[]): RunSignals {
  const stop = new AbortController();
  const giveUp = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const follow = () => {
    const source = sources.find(({ aborted }) => aborted);
    if (source === undefined || stop.signal.aborted) return;
    timer = setTimeout(() => giveUp.abort(), giveUpAfterMs);
    timer.unref();
    stop.abort(source.reason);
  };
  for (const source of sources) source.addEventListener('abort', follow, { once: true });
  follow();
  return {
    signal: stop.signal,
    giveUp: giveUp.signal,
    end: () => {
      clearTimeout(timer);
      for (const source of sources) source.removeEventListener('abort', follow);
    },
  };
}
