import type { ExpectedDelivery } from '../outcome.js';
import { matchesGlob } from '../remote/file-names.js';
import type { Expectation } from '../remote/source-settings.js';
import { addDays, dateInZone, type CalendarDate } from '../values/calendar-date.js';
import { DeliveryCalendar } from './delivery-calendar.js';
import { judgeNumbers, type NumberProblem } from './running-numbers.js';

/** A file of the source, in the order of delivery. */
export interface DeliveredFile {
  readonly name: string;
  /** The name of the packed file that it was in; null for one that came plain. */
  readonly packedName: string | null;
  readonly sha256: string;
  /** The latest SettlementDate of its rows; null when it has none. */
  readonly lastSettlementDate: CalendarDate | null;
  readonly deliveredAtMs: number;
  readonly rows: number;
  /** Whether its records count: a rejected or withdrawn file is not a delivery, but its number is used. */
  readonly counts: boolean;
}

/** A delivery and what became of it; its source is the one whose expectation was judged. */
export type JudgedDelivery = Omit<ExpectedDelivery, 'source'>;

/** Which deliveries are judged. */
export interface JudgedDays {
  /** The moment of the judgement. */
  readonly atMs: number;
  /** The days of a re-run; null for the deliveries that were due recently. */
  readonly range: { readonly from: CalendarDate; readonly to: CalendarDate } | null;
  /**
   * The first day of which the source has delivered anything; nothing is expected before it. Null when it never has.
   */
  readonly since: CalendarDate | null;
}

/** A delivery is judged for this long after its deadline. */
export const judgedForDays = 14;

/**
 * What became of each delivery that is due at a moment, or was recently, the earliest first (design 4.10). A file
 * belongs to the latest expected day up to its last SettlementDate: a late record of an earlier day is not a delivery
 * of that day. Pure.
 */
export function judgeExpected(
  expectation: Expectation,
  files: readonly DeliveredFile[],
  days: JudgedDays,
): JudgedDelivery[] {
  const calendar = new DeliveryCalendar(expectation);
  const ofIt = files.filter(
    ({ name, packedName }) =>
      expectation.filePattern === null ||
      matchesGlob(expectation.filePattern, name) ||
      (packedName !== null && matchesGlob(expectation.filePattern, packedName)),
  );
  const byDay = new Map<CalendarDate, DeliveredFile[]>();
  for (const file of ofIt.filter(({ counts }) => counts)) {
    const day = dayOf(file, calendar, expectation.timezone);
    if (day !== undefined) add(byDay, day, file);
  }
  const { sequence } = expectation;
  const numbers =
    sequence === null ? [] : judgeNumbers(sequence, withoutCorrections(ofIt, [...byDay.values()]));
  return datesToJudge(calendar, expectation, days).map((date): JudgedDelivery => {
    const delivered = byDay.get(date) ?? [];
    const dueAtMs = calendar.dueAtMs(date);
    return {
      date,
      status: statusOf(delivered, expectation.files, dueAtMs, days.atMs),
      due: new Date(dueAtMs).toISOString(),
      files: delivered.map(({ name }) => name),
      problems: [
        ...delivered.flatMap((file) => rowProblem(file, expectation.rows)),
        ...problemsOf(delivered, numbers),
      ],
      ...(expectation.filePattern === null ? {} : { filePattern: expectation.filePattern }),
    };
  });
}

/** The problems that are reported with files of one day, in their own order. */
function problemsOf(delivered: readonly DeliveredFile[], numbers: readonly NumberProblem[]): string[] {
  if (numbers.length === 0 || delivered.length === 0) return [];
  const files = new Set(delivered.map(({ sha256 }) => sha256));
  return numbers.filter(({ sha256 }) => files.has(sha256)).map(({ name, problem }) => `${name}: ${problem}`);
}

function add<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function dayOf(
  { lastSettlementDate, deliveredAtMs }: DeliveredFile,
  calendar: DeliveryCalendar,
  timezone: string,
): CalendarDate | undefined {
  return lastSettlementDate === null
    ? calendar.earliestDueFrom(dateInZone(deliveredAtMs, timezone))
    : calendar.latestUpTo(lastSettlementDate);
}

function statusOf(
  delivered: readonly DeliveredFile[],
  wanted: number,
  dueAtMs: number,
  atMs: number,
): ExpectedDelivery['status'] {
  const completing = firstOfEachName(delivered)[wanted - 1];
  if (completing !== undefined) return completing.deliveredAtMs <= dueAtMs ? 'arrived' : 'late';
  return atMs <= dueAtMs ? 'outstanding' : 'missing';
}

/** A file that comes again under its name corrects the former one: it takes the place of no other file. */
function firstOfEachName(delivered: readonly DeliveredFile[]): DeliveredFile[] {
  const first = new Map<string, DeliveredFile>();
  for (const file of delivered) {
    const name = JSON.stringify([file.packedName, file.name]);
    if (!first.has(name)) first.set(name, file);
  }
  return [...first.values()];
}

/** The files without those that correct one of the same delivery: such a file has its name, and so its number. */
function withoutCorrections(
  files: readonly DeliveredFile[],
  deliveries: readonly (readonly DeliveredFile[])[],
): readonly DeliveredFile[] {
  const corrections = new Set(deliveries.flat());
  for (const file of deliveries.flatMap(firstOfEachName)) corrections.delete(file);
  return files.filter((file) => !corrections.has(file));
}

function datesToJudge(
  calendar: DeliveryCalendar,
  { timezone, lagDays }: Expectation,
  { atMs, range, since }: JudgedDays,
): CalendarDate[] {
  const today = dateInZone(atMs, timezone);
  // Twice the days, and ten for holidays: a lag is counted in delivery days, which a weekend interrupts.
  const first = range?.from ?? addDays(today, -judgedForDays - 2 * lagDays - 10);
  const last = range === null || range.to > today ? today : range.to;
  const dates: CalendarDate[] = [];
  for (let date = since !== null && since > first ? since : first; date <= last; date = addDays(date, 1)) {
    if (!calendar.expects(date)) continue;
    const due = calendar.dueDay(date);
    if (due > today) break;
    // A source that never delivered anything may be new, so only what is due today is expected of it.
    if (since === null ? due === today : range !== null || due >= addDays(today, -judgedForDays))
      dates.push(date);
  }
  return dates;
}

function rowProblem({ name, rows }: DeliveredFile, { min, max }: Expectation['rows']): string[] {
  if (rows >= min && rows <= max) return [];
  const bound = rows < min ? `at least ${min}` : `at most ${max}`;
  return [`${name}: It has ${rows} ${rows === 1 ? 'row' : 'rows'}, and ${bound} are expected.`];
}
