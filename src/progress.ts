/** How stages that take long report how far they are. On a terminal it draws bars; elsewhere it is silent. */
export interface Progress {
  /** `total` is null when it is not known beforehand. */
  begin(label: string, total: number | null, unit: 'bytes' | 'rows' | 'files'): ProgressTask;
}

/** One stage; `advance` is in its unit. */
export interface ProgressTask {
  advance(by: number): void;
  end(): void;
}

/** For callers that show no progress, such as the library. */
export const silentProgress: Progress = {
  begin: () => ({ advance: () => undefined, end: () => undefined }),
};
