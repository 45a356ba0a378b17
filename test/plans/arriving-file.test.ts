import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { noArchiveKeys } from '../../src/archive/archive-keys.js';
import { StoredBytes } from '../../src/archive/stored-bytes.js';
import type { Tx } from '../../src/db/client.js';
import type { Transact } from '../../src/db/fence.js';
import { loadFile, type LoadedFile } from '../../src/intake/load-file.js';
import { registerFile } from '../../src/intake/register-file.js';
import { silentProgress } from '../../src/progress.js';
import { runId } from '../../src/values/ids.js';
import { fileOfRows, settlementRow } from '../support/settlement-rows.js';
import { rolledBack } from '../matching/scenario.js';
import { folderForAllTests } from '../support/test-folder.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { recorderOfTests, statementsBeyond } from './record-plans.js';

/**
 * What a small file costs when it arrives may not grow with the files of the nights before: with 99,000 of them, two
 * statements took 80 ms each. Rows are counted and not seconds, so a busy machine changes nothing.
 */
const nights = 30;
const filesPerNight = 100;
const mostRows = (nights * filesPerNight) / 5;

const recorder = recorderOfTests();
const folder = folderForAllTests();

/** The files of the nights before, in parts of three nights; nothing reads their records. */
async function storeFormerNights(tx: Tx): Promise<void> {
  const perPart = 3 * filesPerNight;
  await tx`
    insert into record_parts (first_file_id, end_file_id, own_file, month)
    select end_file_id + n * ${perPart}::int, end_file_id + (n + 1) * ${perPart}::int, false, '2026-10-01'
    from record_parts cross join generate_series(0, ${nights / 3 - 1}::int) n`;
  await tx`
    insert into settlement_files (id, sha256, source, name, report_name, size_bytes, status, received_at,
      received_run_id, finished_run_id, rows_total, rows_accepted, first_settlement_date, last_settlement_date)
    select p.first_file_id + n, encode(sha256(convert_to(p.first_file_id || ':' || n, 'UTF8')), 'hex'), 'test',
      p.first_file_id || '-' || n, p.first_file_id || '-' || n, 1, 'loaded', now(), 1, 1, 1, 1,
      '2026-10-01'::date + (p.number * 3 + n / ${filesPerNight}::int)::int,
      '2026-10-01'::date + (p.number * 3 + n / ${filesPerNight}::int)::int
    from (select p.*, row_number() over (order by first_file_id) - 1 as number from record_parts p
      where month = '2026-10-01') p
    cross join generate_series(0, ${perPart - 1}::int) n`;
}

/** Further files of the night that has begun; nothing reads their records. */
async function storeFilesOfNight(tx: Tx): Promise<void> {
  await tx`
    insert into settlement_files (id, sha256, source, name, report_name, size_bytes, status, received_at,
      received_run_id, finished_run_id, rows_total, rows_accepted, first_settlement_date, last_settlement_date)
    select f.id + n, encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 'test', 'tonight-' || n, 'tonight-' || n, 1,
      'loaded', now(), 1, 1, 1, 1, f.first_settlement_date, f.last_settlement_date
    from (select * from settlement_files order by id desc limit 1) f
    cross join generate_series(1, ${filesPerNight}::int) n`;
}

/** Registers and loads a file. */
async function arrive(tx: Tx, content: string): Promise<LoadedFile> {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const plain = path.join(folder.path, sha256);
  writeFileSync(plain, content);
  const sizeBytes = Buffer.byteLength(content);
  const arrived = { source: 'test', name: sha256, sha256, sizeBytes, receivedAtMs: 0, sidecar: null };
  const file = await registerFile(tx, runId(1), arrived, 1_000_000);
  const bytes = new StoredBytes({ sha256, plain, encrypted: `${plain}.none` }, noArchiveKeys);
  const within: Transact = (work) => work(tx);
  return loadFile(
    within,
    { ...file, bytes },
    {
      runId: runId(1),
      timezone: 'UTC',
      maxRejectedShare: 1,
      announced: null,
      signal: new AbortController().signal,
      progress: silentProgress.begin('', 0, 'bytes'),
      turn: { come: () => Promise.resolve() },
    },
  );
}

const rowOf = (number: number) =>
  settlementRow({ SettlementTxId: `tx-${number}`, SettlementDate: '2026-11-19' });

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it.each([
    ['of new rows', [rowOf(3), rowOf(4)], 0],
    ['of rows that an earlier file of the night brought', [rowOf(1), rowOf(3)], 1],
  ])(
    'a file %s does not cost more because of the files of other nights',
    async (_what, rows, alreadyKnown) => {
      await rolledBack(recorder().sql, async (tx) => {
        await storeFormerNights(tx);
        await arrive(tx, fileOfRows([rowOf(1), rowOf(2)]));
        await storeFilesOfNight(tx);
        await setStatistics(tx, kind);
        const { result, beyond } = await statementsBeyond(recorder(), tx, {
          mostRows,
          work: () => arrive(tx, fileOfRows(rows)),
        });
        expect(result).toMatchObject({ status: 'loaded', rows: { total: 2, alreadyKnown } });
        expect(beyond).toEqual([]);
      });
    },
  );
});
