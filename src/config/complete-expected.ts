import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Expectation } from '../remote/source-settings.js';
import { isCalendarDate } from '../values/calendar-date.js';
import type { SettingPath } from './config-document.js';
import { expectedSchema } from './source-schema.js';
import { reason, type Surrounding } from './read-secret.js';
import { issueSentence, reportIssues } from './setting-issues.js';

/**
 * The setting `expected` of a source: one entry or a list of them. Entries with problems are left out of the result.
 */
export function completeExpected(
  setting: unknown,
  at: SettingPath,
  timezone: string,
  surrounding: Surrounding,
): Expectation[] {
  if (setting === undefined) return [];
  const entries = Array.isArray(setting)
    ? setting.map((entry: unknown, index) => ({ entry, at: [...at, index] }))
    : [{ entry: setting, at }];
  return entries.flatMap((each) => completeEntry(each.entry, each.at, timezone, surrounding) ?? []);
}

function completeEntry(
  entry: unknown,
  at: SettingPath,
  timezone: string,
  surrounding: Surrounding,
): Expectation | undefined {
  const parsed = expectedSchema.safeParse(entry, { error: issueSentence });
  if (!parsed.success) {
    reportIssues(parsed.error, expectedSchema, (where, sentence, place) =>
      surrounding.problem([...at, ...where], sentence, place),
    );
    return undefined;
  }
  const { holidays, sequence, filePattern, ...rest } = parsed.data;
  return {
    ...rest,
    timezone: rest.timezone ?? timezone,
    filePattern: filePattern ?? null,
    sequence: sequence ?? null,
    holidays:
      holidays === 'TARGET2'
        ? holidays
        : new Set(
            typeof holidays === 'string'
              ? readHolidays(holidays, [...at, 'holidays'], surrounding)
              : holidays,
          ),
  };
}

/** A file with a date per line; empty lines, and what follows a #, are ignored. */
function readHolidays(file: string, at: SettingPath, { folder, problem }: Surrounding): string[] {
  let text: string;
  try {
    text = readFileSync(path.resolve(folder, file), 'utf8');
  } catch (thrown) {
    problem(at, `must be TARGET2, a list of dates or a file, and the file cannot be read${reason(thrown)}`);
    return [];
  }
  return text.split(/\r?\n/).flatMap((line, index) => {
    const date = line.replace(/#.*/, '').trim();
    if (date === '' || isCalendarDate(date)) return date === '' ? [] : [date];
    problem(at, `line ${index + 1} of the file is not a date such as 2026-12-25`);
    return [];
  });
}
