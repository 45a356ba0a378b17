import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'sql-formatter';
import { beforeAll, expect, test } from 'vitest';
import { recordStatements, type SentStatement } from './record-statements.js';
import { otherStatements, statementNames } from './statement-names.js';

/**
 * The statements of the record path as they are sent, one file each in docs/sql, so that the diff of a changed
 * fragment shows the changed statements. `npm run sql:write` writes them again.
 */
const folder = path.resolve(import.meta.dirname, '../../docs/sql');

const onOneLine = (statement: string) => statement.replace(/\s+/g, ' ');
let statements: readonly SentStatement[];
let pages: ReadonlyMap<string, string>;

beforeAll(async () => {
  statements = await recordStatements();
  pages = pagesOf(statements);
});

function nameOf({ statement }: SentStatement) {
  return statementNames.find(({ begins }) => begins.test(onOneLine(statement)));
}

/** A statement that a re-run of a range sends in a form other than that of a run gets a separate file. */
function pagesOf(sent: readonly SentStatement[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const one of sent) {
    const known = nameOf(one);
    if (known === undefined) continue;
    const variants = [
      known.name,
      `${known.name}-${one.by}`,
      `${known.name}-${one.by}-2`,
      `${known.name}-${one.by}-3`,
    ];
    const file = `${variants.find((variant) => !found.has(`${variant}.sql`)) ?? known.name}.sql`;
    found.set(file, `-- ${known.does}\n${readable(one.statement)};\n`);
  }
  return found;
}

function readable(statement: string): string {
  try {
    return format(statement, { language: 'postgresql', keywordCase: 'lower', expressionWidth: 100 });
  } catch {
    return statement;
  }
}

test('every statement that a run sends has a name, or is not about records', () => {
  const unknown = statements
    .filter((one) => nameOf(one) === undefined)
    .map(({ statement }) => onOneLine(statement))
    .filter((statement) => !otherStatements.some((pattern) => pattern.test(statement)));
  expect(unknown, 'give it a name in test/sql/statement-names.ts').toEqual([]);
});

test('every name belongs to a statement that is sent', () => {
  const used = new Set(statements.map(nameOf));
  const unused = statementNames.filter((known) => !used.has(known));
  expect(unused.map(({ name }) => name)).toEqual([]);
});

/** Statements that no run of the scenario sends, with the reason. */
const notSent: readonly RegExp[] = [
  // The scenario has no source on a server, no packed file, and no file that is rejected.
  /^insert into remote_files /,
  /^insert into packed_files /,
  /^update settlement_files set totals_name =/,
  /^update settlement_files set status = 'rejected'/,
  /^update settlement_files set finished_run_id =/,
  // Commands send these: `recon files withdraw`, `recon decide --file`, `recon diff`.
  /^insert into (file_withdrawals|row_corrections) ?/,
  /^create temp table (rows_of_files|other_rows|paired_rows) /,
  /^insert into paired_rows /,
  // `recon move` copies a database.
  /^(insert into|delete from) (database_moves|record_parts)\b/,
  // Files and downloads that a run shares with workers (test/worker).
  /^(insert into|update|delete from) file_(claims|downloads)\b/,
  // Only after a run that ended before it reported what it had found (`adopt-findings.ts`).
  /^update discrepancies set (first_seen_run|resolved_run) =$/,
  /^insert into discrepancy_changes .* select distinct on/,
  /^delete from discrepancy_changes /,
  /^insert into run_rechecks .* select distinct$/,
  // A re-run that changes the results of records outside its range.
  /^insert into extra_records /,
  // Only if a sender takes a correction back twice (test/cli/correction-taken-back.test.ts).
  /^create temp table returned_again /,
  // Only after records were removed (test/cli/removed-settlements.test.ts).
  /^insert into removed_settlements /,
  /^delete from looked_at_findings l where /,
  /^insert into summed_records /,
  // The same (test/cli/removed-and-moved.test.ts).
  /^create temp table (if not exists stored_again|removed_at_places) /,
  /^insert into stored_again /,
  /^delete from room_takers t using stored_again /,
  // `recon retire` and `recon purge`.
  /^update chargeback_links l set own_booking_id =/,
  // Only after records were removed (test/cli/retire.test.ts, test/cli/removed-corrections.test.ts).
  /^create temp table if not exists links_of_removed /,
  // The same (test/cli/removed-and-moved.test.ts).
  /^create temp table if not exists payments_of_removed /,
  /^insert into payments_of_removed /,
  /^update new_matches n set pinned = true/,
  /^create temp table former_holders /,
  /^delete from chargeback_links l using former_holders /,
  /^insert into new_links .* case l\.kind /,
  /^update new_links n set chargeback_id = x\.former/,
  /^insert into uncounted_deliveries select d\.file_id/,
  /^insert into uncounted_records .* select h\.file_id/,
  /^insert into changed_links select l\.file_id/,
  /^delete from found n using uncounted_records u/,
  /^insert into found .* select d\.id, d\.code/,
  // Only if the payment core has made payments before the first run.
  /^insert into pending_payments /,
  // Only with shards (test/shards).
  /^create temp table (partly_reversed|copied_keys|removed_bookings|exception_keys|family_ids|payments) /,
  /^insert into family_(ids|members) /,
  /^insert into key_hits select \* from hits_on_shards/,
  /^create temp table (delivery_candidates|changed_results) /,
  /^update record_matches m set status = n\.status/,
  /^insert into record_matches \([a-z_, ]+, shard\)/,
];

/**
 * Compares the code with what was sent, by the words before the first inserted value. So it finds a statement that the
 * scenario never reaches, but not a select, nor a form of a statement that differs only after that value.
 */
test('every statement in the code that writes a table was sent', () => {
  const sent = statements.map(({ statement }) => onOneLine(statement));
  const unsent = writtenStatements().filter(
    (beginning) =>
      !sent.some((statement) => statement.startsWith(beginning)) &&
      !notSent.some((pattern) => pattern.test(beginning)),
  );
  expect(unsent, 'extend the scenario in test/sql/record-statements.ts').toEqual([]);
});

function writtenStatements(): string[] {
  const written = /`\s*((?:insert into|update|delete from|create temp(?:orary)? table) [^`$]+)/g;
  return ['intake', 'matching', 'reporting'].flatMap((name) => {
    const source = path.resolve(import.meta.dirname, '../../src', name);
    return readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...readFileSync(path.join(source, file), 'utf8').matchAll(written)])
      .map(([, beginning = '']) => onOneLine(beginning).trim());
  });
}

test('docs/sql holds the statements as they are sent (npm run sql:write)', async () => {
  for (const [file, content] of pages) {
    await expect(content).toMatchFileSnapshot(path.join(folder, file));
  }
});

test('docs/sql holds nothing else', () => {
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'))
    : [];
  expect(files.filter((file) => !pages.has(file.split(path.sep).join('/')))).toEqual([]);
});
