/** `2026-11-21 06:30:00+0000`, the form of `timestamp` in responses (operations 2.5). */
export function responseTimestamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')}+0000`;
}

/** A moment in a form that PostgreSQL reads: `2026-11-21T06:30:00.000Z`. */
export function storedMoment(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The UTC day of a moment. */
export function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}
