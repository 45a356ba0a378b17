import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  rmSync,
  statSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { administer, createTestDatabase, type TestDatabase } from '../support/database.js';
import { all, needs } from '../support/needs.js';
import { runCli } from '../support/cli.js';
import { fileOfRows, settlementRow } from '../support/settlement-rows.js';
import { documentOf, factsOf, prepareNight } from '../support/settlement-night.js';

const disk = all(needs.root(), needs.ownServer(), needs.tmpfs());

/** A separate disk for a part of a database. */
interface Disk {
  readonly tablespace: string;
  /** Leaves room for this many bytes. */
  fill(leave: number): void;
  free(): void;
  remove(): Promise<void>;
}

async function mountDisk(): Promise<Disk> {
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-disk-'));
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', directory]).status).toBe(0);
  // As root, the server of the tests runs as a user id of its cluster.
  const [server] = await administer(`select pid from pg_stat_activity where backend_type = 'checkpointer'`);
  const { uid, gid } = statSync(`/proc/${String(server?.['pid'])}`);
  chownSync(directory, uid, gid);
  const tablespace = `disk_${randomBytes(5).toString('hex')}`;
  await administer(`create tablespace ${tablespace} location '${directory}'`);
  const filler = path.join(directory, 'filler');
  return {
    tablespace,
    fill: (leave) => {
      const { bavail, bsize } = statfsSync(directory);
      writeFileSync(filler, Buffer.alloc(bavail * bsize - leave, 1));
    },
    free: () => rmSync(filler),
    remove: async () => {
      await administer(`drop tablespace if exists ${tablespace}`);
      spawnSync('umount', [directory]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

describe.runIf(disk.isMet)('F87 the disk of the database is full', disk.orSkipped, () => {
  let baseline: Record<string, unknown>;

  beforeAll(async () => {
    const own = await createTestDatabase();
    const night = prepareNight(own.url);
    expect((await night.importPayments()).code).toBe(0);
    expect((await night.runHere()).code).toBe(1);
    baseline = await factsOf(own.database.sql);
    await own.drop();
    night.end();
  });

  const onDisk = (table: string) => async (own: TestDatabase, tablespace: string) => {
    await own.database.sql.unsafe(`alter table ${table} set tablespace ${tablespace}`);
  };

  const byDefault =
    (setting: string) =>
    async ({ database: { sql } }: TestDatabase, tablespace: string) => {
      const [own] = await sql<{ name: string }[]>`select current_database() as name`;
      await sql.unsafe(`alter database ${own?.name ?? ''} set ${setting} = ${tablespace}`);
    };

  test.each([
    ['where records are kept', onDisk('settlement_records_1')],
    ['where refused rows are kept', onDisk('rejected_rows')],
    ['where matches are kept', onDisk('record_matches')],
    ['where discrepancies are kept', onDisk('discrepancies')],
    ['where the tables of large files are made', byDefault('default_tablespace')],
    ['where temporary tables are kept', byDefault('temp_tablespaces')],
  ])(
    '%s: exit 5 and nothing of the step, and with room again the next run is complete',
    async (_where, place) => {
      const disk = await mountDisk();
      const own = await createTestDatabase();
      const night = prepareNight(own.url);
      try {
        expect((await night.importPayments()).code).toBe(0);
        await place(own, disk.tablespace);
        disk.fill(0);
        const ended = await night.runHere();
        expect(ended.code).toBe(5);
        expect(documentOf(ended).error?.code).toBe('DATABASE_FULL');
        const halves = await own.database.sql`
        select from settlement_files f where f.status = 'loaded'
          and f.rows_accepted <> (select count(*) from settlement_records r where r.file_id = f.id)
        union all select from record_matches union all select from discrepancies`;
        expect(halves).toHaveLength(0);
        disk.free();
        expect([0, 1]).toContain((await night.runHere()).code);
        expect(await factsOf(own.database.sql)).toEqual(baseline);
      } finally {
        await own.drop();
        await disk.remove();
        night.end();
      }
    },
  );
});

const embedded = all(needs.root(), needs.tmpfs());

/**
 * A server that cannot write its log of changes (WAL) ends itself: its clients see a lost connection, and no statement
 * fails for lack of space.
 */
describe.runIf(embedded.isMet)(
  'F87 the disk of the embedded database is full while it writes its log of changes',
  embedded.orSkipped,
  () => {
    test('the run and the next commands say that the disk is full, and with room again the next run is complete', async () => {
      const night = prepareNight(undefined);
      const wal = path.join(night.directory, 'data/database/pg_wal');
      const recon = (...args: string[]) =>
        runCli(args, {
          cwd: night.directory,
          env: { RECON_DATA_DIR: path.join(night.directory, 'data') },
        });
      try {
        expect((await night.importPayments()).code).toBe(0);
        mountOver(wal, '40m');
        writeFileSync(
          path.join(night.directory, 'large.csv'),
          fileOfRows(Array.from({ length: 40_000 }, (_, at) => settlementRow({ SettlementTxId: `t${at}` }))),
        );
        const run = ['run', '--as-of', '2026-11-20', '--json', '--file', 'large.csv'];
        const ended = await recon(...run);
        expect(ended.code).toBe(5);
        const { error } = documentOf(ended);
        expect(error?.code).toBe('DATABASE_FULL');
        expect(error?.message).toContain(`The disk of the embedded database`);
        expect(error?.message).toContain('No space left on device');
        expect(error?.message).toContain('What was committed is kept');

        // Its server cannot recover without room either.
        for (const next of [await recon(...run), await recon('runs', '--json')]) {
          expect(next.code).toBe(5);
          expect(documentOf(next).error).toMatchObject({
            code: 'DATABASE_FULL',
            message: expect.stringContaining('No space left on device') as string,
          });
        }

        expect(spawnSync('mount', ['-o', 'remount,size=1g', wal]).status).toBe(0);
        const repaired = await recon(...run);
        expect(repaired.code).toBe(0);
        expect(documentOf(repaired).status).toBe('completed');
        const files = await recon('files', '--json');
        expect(files.stdout).toContain('"accepted":40000');
      } finally {
        spawnSync('umount', [wal]);
        night.end();
      }
    }, 180_000);
  },
);

/** The same files on a separate disk of this size. */
function mountOver(folder: string, size: string): void {
  const { uid, gid, mode } = statSync(folder);
  const aside = mkdtempSync(path.join(tmpdir(), 'recon-wal-'));
  cpSync(folder, aside, { recursive: true });
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status).toBe(0);
  cpSync(aside, folder, { recursive: true });
  spawnSync('chown', ['-R', `${uid}:${gid}`, folder]);
  chmodSync(folder, mode);
  rmSync(aside, { recursive: true });
}
