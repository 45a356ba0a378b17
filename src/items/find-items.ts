import type { Reader } from '../db/client.js';
import { ReconError } from '../errors.js';
import { idsBeginning, leastDigits } from '../findings/ids-beginning.js';
import { lastLine, whyNoRecordAt } from '../findings/no-record-at.js';
import type { DecisionKind } from '../values/decision-kinds.js';
import { readDecidables, readRecord, type Decidable } from './decidable.js';
import type { ItemView } from './item-rows.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';

/**
 * Finds what a person names for a decision of this kind: a DiscrepancyId, the beginning of one, or FILE:LINE. FILE:LINE
 * means the finding of the record to which this kind of decision applies, or the record itself if no finding is needed.
 *
 * @throws ReconError ITEM_NOT_FOUND
 */
export async function findItem(
  sql: Reader,
  view: ItemView,
  named: string,
  kind: DecisionKind,
): Promise<Decidable> {
  const place = /^(.+):([1-9]\d{0,9})$/.exec(named);
  if (place !== null) {
    return findByPlace(sql, view, { file: place[1] ?? '', line: Number(place[2]), named, kind });
  }
  const ids = idsBeginning(named);
  if (ids === null) {
    throw notFound(
      `"${named}" is neither a DiscrepancyId (or its first ${leastDigits} digits) nor FILE:LINE.`,
    );
  }
  const found = await readDecidables(sql, view, sql`d.id between ${ids.lowest} and ${ids.highest}`);
  return theOnly(found, `No item has the DiscrepancyId ${named}.`, `Several items begin with ${named}`);
}

interface Place {
  readonly file: string;
  readonly line: number;
  readonly named: string;
  readonly kind: DecisionKind;
}

async function findByPlace(
  sql: Reader,
  view: ItemView,
  { file, line, named, kind }: Place,
): Promise<Decidable> {
  const isMeant = sql`f.name in (${file}, ${maskCardNumbers(file)})
      or (${file} ~ '^[0-9a-f]{8,64}$' and starts_with(f.sha256, ${file}))`;
  const files = sql`select f.id from settlement_files f where ${isMeant}`;
  const why = async () => notFound((await whyNoRecordAt(sql, { file, line, files })).sentence);
  if (line > lastLine) throw await why();
  const records = await sql<{ fileId: number; line: number; sha256: string }[]>`
    select coalesce(k.record_file_id, f.id) as "fileId", coalesce(k.record_line, ${line}::int) as line, f.sha256
    from settlement_files f
    left join already_known_rows k on k.file_id = f.id and k.line = ${line}
    where ${isMeant}
    order by f.id`;
  if (records.length > 1) {
    const digits = records.map(({ sha256 }) => `${sha256.slice(0, 8)}:${line}`).join(', ');
    throw notFound(`Several files are named ${file}; name the one by its SHA-256: ${digits}.`);
  }
  const [place] = records;
  const record = place === undefined ? undefined : await readRecord(sql, { ...place, name: named });
  if (place === undefined || record === undefined) throw await why();
  const isThere = sql`d.file_id = ${place.fileId} and d.line = ${place.line}`;
  const findings = await readDecidables(sql, view, isThere);
  return choose(record, findings, kind);
}

function choose(record: Decidable, findings: readonly Decidable[], kind: DecisionKind): Decidable {
  const open = findings.filter(({ status }) => status !== 'RESOLVED');
  const ofCodes = (...codes: string[]) => open.find(({ code }) => codes.includes(code));
  switch (kind) {
    case 'link':
      return ofCodes('NOT_MATCHED', 'MULTIPLE_MATCHES') ?? record;
    case 'unlink':
      return record;
    case 'undo':
      return latestDecided([record, ...findings]) ?? record;
    case 'supersede':
    case 'keep-both':
      return ofCodes('RECORD_REDELIVERED') ?? record;
    case 'accept':
    case 'wait':
    case 'assign':
    case 'note':
    case 'approve':
      if (open.length === 0) return record;
      return theOnly(open, '', `${record.name} has several items`);
  }
}

function latestDecided(candidates: readonly Decidable[]): Decidable | undefined {
  return candidates
    .filter(({ undoable }) => undoable !== null)
    .sort((a, b) => ((a.undoable ?? 0n) < (b.undoable ?? 0n) ? 1 : -1))[0];
}

function theOnly(found: readonly Decidable[], none: string, several: string): Decidable {
  const [first, second] = found;
  if (first === undefined) throw notFound(none);
  if (second === undefined) return first;
  throw notFound(`${several}: ${found.map(({ item, code }) => `${item} (${code})`).join(', ')}.`);
}

function notFound(message: string): ReconError {
  return new ReconError('ITEM_NOT_FOUND', message);
}
