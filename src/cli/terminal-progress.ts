import type { Writable } from 'node:stream';
import cliProgress from 'cli-progress';
import type { Progress } from '../progress.js';

/** Bars on the terminal for transfers and long stages; each disappears when its work is done. */
export function terminalProgress(stream: Writable): Progress {
  return {
    begin: (label, total, unit) => {
      const bar = new cliProgress.SingleBar(
        {
          stream: stream as NodeJS.WritableStream,
          format: total === null ? `{label}: {value} ${unit}` : '{label} {bar} {percentage}% {eta_formatted}',
          clearOnComplete: true,
          hideCursor: true,
        },
        cliProgress.Presets.shades_classic,
      );
      bar.start(total ?? 0, 0, { label });
      return {
        advance: (by) => bar.increment(by),
        end: () => bar.stop(),
      };
    },
  };
}
