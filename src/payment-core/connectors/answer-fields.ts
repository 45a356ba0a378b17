/** A problem with a field of an answer, without its value. */
export interface AnswerIssue {
  readonly field: string;
  readonly reason: string;
}

/** Notes a problem with a field. */
export type Report = (field: string, reason: string) => void;

/** The value of a field of an answer of which nothing is kept. */
export type Absent = null | undefined;

/** A text that is longer is cut, or left out if a program compares it. */
export const longestText = 2048;

/** Leaves a value out, and reports it unless there is none. */
export function leaveOut(value: unknown, field: string, reason: string, report: Report): Absent {
  if (value !== undefined && value !== null) report(field, `${reason}; left out`);
  return undefined;
}

/** A text that programs compare: as it is if it has the shape, and otherwise left out. */
export function textOfShape(
  value: unknown,
  { field, shape, reason }: { readonly field: string; readonly shape: RegExp; readonly reason: string },
  report: Report,
): string | Absent {
  if (typeof value === 'string' && value.length <= longestText && shape.test(value)) return value;
  return leaveOut(value, field, reason, report);
}

/** A text for people, cut to its length in characters, without the characters that the database cannot store. */
export function textOf(value: unknown, field: string, longest: number, report: Report): string | Absent {
  if (typeof value !== 'string') return leaveOut(value, field, 'is not a text', report);
  const characters = Array.from(value.slice(0, 2 * longest + 2).replace(/\u0000|[\uD800-\uDFFF]/gu, ''));
  if (characters.length <= longest && value.length <= 2 * longest + 2) return characters.join('');
  report(field, `is longer than ${longest} characters; cut`);
  return characters.slice(0, longest).join('');
}

/** The texts of a group that are present and valid; others are reported and left out. */
export function textsOf(
  value: Readonly<Record<string, unknown>>,
  prefix: string,
  names: readonly string[],
  report: Report,
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(value[name], `${prefix}.${name}`, longestText, report);
      return typeof text === 'string' ? [[name, text] as const] : [];
    }),
  );
}
