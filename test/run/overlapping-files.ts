import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { createInstallation, filesBelow, type Installation } from '../cli/installation.js';
import { fileOfRows, paymentId, settlementRow } from '../support/settlement-rows.js';

/**
 * Nights of files that share records, so which of them a record belongs to would depend on which is stored first; and
 * everything that a person or a program sees of their runs.
 */
export interface File {
  readonly source: 'a' | 'b' | 'c';
  readonly name: string;
  readonly content: string;
}

export const row = (number: number) =>
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
export const arbitraryNight = fc.array(arbitraryFile, { minLength: 2, maxLength: 7 });

type Drawn = typeof arbitraryFile extends fc.Arbitrary<infer T> ? T : never;

export function filesOf(night: number, drawn: readonly Drawn[]): File[] {
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

export async function install(filesAtOnce: number): Promise<Installation> {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', configuration(filesAtOnce));
  for (const folder of ['a', 'b', 'c', 'taken']) installation.write(`${folder}/.keep`, '');
  return installation;
}

export async function runOn(installation: Installation, files: readonly File[]) {
  for (const { source, name, content } of files) installation.write(`${source}/${name}`, content);
  const { code, stdout, stderr } = await installation.recon('run', '--as-of', '2026-11-20', '--json');
  const [messages, document] = [stderr, stdout].map((text) => text.replaceAll(installation.directory, '.'));
  return { code, messages: messagesOf(messages ?? ''), document };
}

/** What is logged, without times. */
const messagesOf = (stderr: string) =>
  stderr.replace(/"(time|elapsedMs)":("[^"]*"|\d+)/g, '"$1":0').split('\n');

/** All that a person or a program sees of the runs; the manifest has the time of the audit log. */
export async function seenOf({ database, directory, dataDirectory }: Installation) {
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
