let [lastMoment, lastText] = [Number.NaN, ''];

/** A request writes its moment in several forms, and other requests of the same millisecond do too. */
function isoOf(epochMs: number): string {
  if (epochMs !== lastMoment) [lastMoment, lastText] = [epochMs, new Date(epochMs).toISOString()];
  return lastText;
}

/** `2026-11-21 06:30:00+0000`, the form of `timestamp` in responses (operations 2.5). */
export function responseTimestamp(epochMs: number): string {
  return `${isoOf(epochMs).slice(0, 10)} ${isoOf(epochMs).slice(11, 19)}+0000`;
}

/** A moment in a form that PostgreSQL reads: `2026-11-21T06:30:00.000Z`. */
export function storedMoment(epochMs: number): string {
  return isoOf(epochMs);
}

/** The UTC day of a moment as `yyyy-MM-dd`. */
export function dayOf(epochMs: number): string {
  return isoOf(epochMs).slice(0, 10);
}
