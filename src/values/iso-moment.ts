/** Converts a moment from the database's format (`2026-11-20 05:30:01.5+00`) to ISO form: `2026-11-20T05:30:01.5Z`. */
export function isoMoment(moment: string): string;
export function isoMoment(moment: string | null): string | null;
export function isoMoment(moment: string | null): string | null {
  return moment === null ? null : moment.replace(' ', 'T').replace(/\+00(?::?00)?$/, 'Z');
}
