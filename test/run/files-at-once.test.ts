import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createInstallation, filesBelow, type Installation } from '../cli/installation.js';
import { fileOfRows, paymentId, settlementRow } from '../support/settlement-rows.js';
import { zipOf } from '../support/zip.js';

/**
 * How many files are loaded at once changes nothing: the same files give the same rows, counts, messages and reports.
 * The files share records, so which of them a record belongs to would depend on which is stored first.
 */
const worlds = Number(process.env['RECON_PROPERTY_RUNS'] ?? 3);

interface File {
  readonly source: 'a' | 'b' | 'c';
  readonly name: string;
  readonly content: string;
}

const row = (number: number) =>
  settlementRow({
    UniqueID: paymentId(number),
    SettlementTxId: `STL-${number}`,
    AccountNumberLast4: '',
    ...(number % 41 === 0 ? { Amount: 'much' } : {}),
  });

/**
 * A file is a piece of the same long list of rows, so neighbours overlap. Some rows come twice, some files are bad, one
 * source is missing, one moves its files, and one refuses large ones.
 */
const arbitraryFile = fc.record({
  first: fc.nat(400),
  count: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 200, max: 700 })),
  twins: fc.boolean(),
  isDamaged: fc.oneof(
    { weight: 6, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  source: fc.constantFrom('a' as const, 'b' as const, 'c' as const),
});
const arbitraryNight = fc.array(arbitraryFile, { minLength: 2, maxLength: 7 });

type Drawn = typeof arbitraryFile extends fc.Arbitrary<infer T> ? T : never;

function filesOf(night: number, drawn: readonly Drawn[]): File[] {
  return drawn.map(({ first, count, twins, isDamaged, source }, index): File => {
    const rows = Array.from({ length: count }, (_, at) => row(first + at));
    const content = fileOfRows(twins ? [...rows, ...rows.slice(0, 3)] : rows);
    // Two files of one name, in two sources.
    const name = index < 2 ? `night-${night}.csv` : `night-${night}-${index}.csv`;
    return {
      source: index === 0 ? 'a' : index === 1 ? 'b' : source,
      name,
      content: isDamaged ? content.replace('Amount;', 'Amounts;') : content,
    };
  });
}

const configuration = (filesAtOnce: number) => `intake: { filesAtOnce: ${filesAtOnce} }
largeFileBytes: 120000
sources:
  - { name: a, protocol: local, folder: ./a }
  - { name: missing, protocol: local, folder: ./missing }
  - { name: b, protocol: local, folder: ./b, afterSuccess: { action: move, folder: ./taken } }
  - { name: c, protocol: local, folder: ./c, maximumSizeBytes: 100000 }
`;

async function install(filesAtOnce: number): Promise<Installation> {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', configuration(filesAtOnce));
  for (const folder of ['a', 'b', 'c', 'taken']) installation.write(`${folder}/.keep`, '');
  return installation;
}

async function runOn(installation: Installation, files: readonly File[]) {
  for (const { source, name, content } of files) installation.write(`${source}/${name}`, content);
  const { code, stdout, stderr } = await installation.recon('run', '--as-of', '2026-11-20', '--json');
  const [messages, document] = [stderr, stdout].map((text) => text.replaceAll(installation.directory, '.'));
  return { code, messages: messagesOf(messages ?? ''), document };
}

/** What is logged, without times. */
const messagesOf = (stderr: string) =>
  stderr.replace(/"(time|elapsedMs)":("[^"]*"|\d+)/g, '"$1":0').split('\n');

/** All that a person or a program sees of the runs; the manifest has the time of the audit log. */
async function seenOf({ database, directory, dataDirectory }: Installation) {
  const { sql } = database.database;
  const reports = path.join(dataDirectory, 'reports');
  return {
    files: await sql`select id, source, name, status, report_name, rows_total, rows_accepted, rows_rejected,
      rows_already_known, error_code, error_message from settlement_files order by id`,
    records: await sql`select file_id, line, fingerprint, occurrence from settlement_records order by 1, 2`,
    known: await sql`select * from already_known_rows order by 1, 2`,
    rejected: await sql`select * from rejected_rows order by 1, 2`,
    sightings: await sql`select source, path, sha256 from remote_files order by 1, 2`.then((rows) =>
      rows.map((each) => ({ ...each, path: String(each['path']).replace(directory, '.') })),
    ),
    reports: Object.keys(filesBelow(reports))
      .filter((name) => !name.endsWith('manifest.json') && !name.endsWith('.xlsx'))
      .map((name) => [name, readFileSync(path.join(reports, name), 'utf8').replaceAll(directory, '.')]),
    left: ['a', 'b', 'c', 'taken'].map((folder) => Object.keys(filesBelow(path.join(directory, folder)))),
  };
}

test('the same files give the same bytes, whether 1 or 4 are loaded at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(arbitraryNight, arbitraryNight), async (drawn) => {
      const one = await install(1);
      const four = await install(4);
      for (const [night, files] of drawn.entries()) {
        const outcome = await runOn(four, filesOf(night, files));
        expect(outcome.code, outcome.messages.join('\n')).toBe(4);
        expect(outcome).toEqual(await runOn(one, filesOf(night, files)));
      }
      expect(await seenOf(four)).toEqual(await seenOf(one));
    }),
    { numRuns: worlds, seed: Number(process.env['SEED'] ?? 7), endOnFailure: true },
  );
}, 600_000);

test('a failure while several files are loaded ends the run with its reason, and the next run loads them all', async () => {
  const installation = await createInstallation();
  const { sql } = installation.database.database;
  installation.write(
    'recon.config.yaml',
    'intake: { filesAtOnce: 2 }\nsources: [{ name: a, protocol: local, folder: ./a, filePattern: "*.zip" }]\n',
  );
  const inside = [0, 1, 2, 3].map((at): [string, string] => [
    `part-${at}.csv`,
    fileOfRows(Array.from({ length: 30 }, (_, line) => row(1000 + 30 * at + line))),
  ]);
  installation.write('a/night.zip', zipOf(Object.fromEntries(inside)));
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if new.status = 'loaded' and new.name = 'part-1.csv' then raise exception 'refused'; end if;
      return new;
    end $$;
    create trigger refuse before update on settlement_files for each row execute function refuse()`);
  const failed = await installation.json<{ error: unknown }>('run', '--as-of', '2026-11-20');
  expect(failed.code).toBe(5);
  expect(failed.document.error).toMatchObject({ code: 'DATABASE_FAILED' });
  expect(await sql`select name from settlement_files where status = 'loaded'`).toEqual([
    { name: 'part-0.csv' },
  ]);
  await sql`drop trigger refuse on settlement_files`;
  await installation.recon('run', '--as-of', '2026-11-20');
  const [counted] = await sql`select count(*)::int as files, sum(rows_already_known)::int as known
    from settlement_files where status = 'loaded'`;
  expect(counted).toEqual({ files: 4, known: 0 });
});
