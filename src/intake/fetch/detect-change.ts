import { ReconError } from '../../errors.js';
import { showName } from '../../remote/file-names.js';

/** The size and time of a file at one moment; null when the server does not report a value. */
export interface SizeAndTime {
  readonly name: string;
  readonly sizeBytes: number | null;
  readonly modifiedAtMs: number | null;
}

/** Times have whole seconds and clocks differ a little: a file changed less than this ago is never quiet. */
const quietMs = 3_000;

/** A time this far ahead of our clock is ignored: it does not show the age of a file. */
const absurdMs = 24 * 3_600_000;

/** Whether size or time differ between two observations of the same kind. */
export function differs(one: SizeAndTime, other: SizeAndTime): boolean {
  return one.sizeBytes !== other.sizeBytes || one.modifiedAtMs !== other.modifiedAtMs;
}

/** Whether two observations of one value differ; null means that the server did not report it. */
export function isKnownToDiffer(one: number | null, other: number | null): boolean {
  return one !== null && other !== null && one !== other;
}

/** The time when a file was changed; null when it is unknown or implausible. */
export function sensibleTime(modifiedAtMs: number | null, nowMs: number): number | null {
  return modifiedAtMs === null || modifiedAtMs > nowMs + absurdMs ? null : modifiedAtMs;
}

/**
 * Whether a file had been unchanged for so long that any later change must show in its time, which has whole
 * seconds. `atMs` is the start of the transfer: a rewrite during it, within the second of the last change, would
 * not show.
 */
export function isQuiet(modifiedAtMs: number | null, atMs: number, minimumAgeMs: number): boolean {
  const changedAtMs = sensibleTime(modifiedAtMs, atMs);
  return changedAtMs !== null && atMs - changedAtMs >= Math.max(minimumAgeMs, quietMs);
}

/** @throws ReconError FILE_CHANGING for a file that was changed less than `minimumAgeMs` ago. */
export function refuseYoung(file: SizeAndTime, nowMs: number, minimumAgeMs: number): void {
  const changedAtMs = sensibleTime(file.modifiedAtMs, nowMs);
  if (minimumAgeMs <= 0 || changedAtMs === null || nowMs - changedAtMs >= minimumAgeMs) return;
  const seconds = Math.round(Math.abs(nowMs - changedAtMs) / 1000);
  throw changingFile(
    file,
    changedAtMs > nowMs
      ? `was changed ${seconds} s ahead of this machine's clock`
      : `was changed ${seconds} s ago, less than minimumAgeSeconds (${minimumAgeMs / 1000})`,
  );
}

/**
 * Compares a listing with a `stat` just afterwards. A value that one of them lacks is not compared, nor is the
 * time where the two take it from different places.
 *
 * @throws ReconError FILE_CHANGING.
 */
export function refuseChanged(
  listed: SizeAndTime,
  looked: SizeAndTime,
  { comparesTimes }: { comparesTimes: boolean },
): void {
  if (
    isKnownToDiffer(listed.sizeBytes, looked.sizeBytes) ||
    (comparesTimes && isKnownToDiffer(listed.modifiedAtMs, looked.modifiedAtMs))
  )
    throw changingFile(looked, 'changed between two checks');
}

/** @param how it was noticed, as the end of a sentence */
export function changingFile(file: { readonly name: string }, how: string): ReconError {
  return new ReconError(
    'FILE_CHANGING',
    `${showName(file.name)} ${how}; it is left for a later run, and no part of it was kept.`,
  );
}
