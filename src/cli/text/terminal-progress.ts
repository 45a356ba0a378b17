import { createRequire } from 'node:module';
import type { Writable } from 'node:stream';
import type * as CliProgress from 'cli-progress';
import type { Progress } from '../../progress.js';
import { printable } from './printable.js';

/** Progress as bars at the lower end of the terminal. */
export interface TerminalProgress extends Progress {
  /** Writes text (whole lines) above the visible bars. */
  readonly writeAbove: (text: string) => void;
}

const labelWidth = 34;

/**
 * Bars on a terminal for transfers and long stages. Each disappears when its work is done; log lines written with
 * `writeAbove` stay readable. The cursor stays visible and line wrapping stays on, so that a killed process leaves a
 * usable terminal.
 */
export function terminalProgress(stream: Writable): TerminalProgress {
  let bars: CliProgress.MultiBar | undefined;
  const active = new Set<CliProgress.SingleBar>();
  const remove = (bar: CliProgress.SingleBar) => {
    if (bars === undefined || !active.delete(bar)) return;
    if (active.size > 0) {
      bars.remove(bar);
      return;
    }
    bars.stop();
    bars = undefined;
  };
  return {
    begin: (label, total, unit) => {
      bars ??= createBars(stream);
      const format =
        total === null ? `{label} {value} ${unit}` : '{label} {bar} {percentage}% {eta_formatted}';
      const bar = bars.create(total ?? 0, 0, { label: fitted(printable(label)) }, { format });
      active.add(bar);
      return { advance: (by) => bar.increment(by), end: () => remove(bar) };
    },
    writeAbove: (text) => {
      if (bars === undefined) {
        stream.write(text);
        return;
      }
      bars.log(text);
      // It would write only with its next frame, which may never come.
      bars.update();
    },
  };
}

/** Loaded here, because most commands run without a terminal or show no bar. */
function createBars(stream: Writable): CliProgress.MultiBar {
  const { MultiBar, Presets } = createRequire(import.meta.url)('cli-progress') as typeof CliProgress;
  return new MultiBar(
    { stream, clearOnComplete: true, hideCursor: false, linewrap: true, barsize: 20, autopadding: true },
    Presets.shades_classic,
  );
}

function fitted(label: string): string {
  return label.length > labelWidth ? `…${label.slice(1 - labelWidth)}` : label.padEnd(labelWidth);
}
