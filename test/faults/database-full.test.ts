import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync, statSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { administer, createTestDatabase, type TestDatabase } from '../support/database.js';
import { all, needs } from '../support/needs.js';
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
    expect((await night.run()).code).toBe(1);
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
        const ended = await night.run();
        expect(ended.code).toBe(5);
        expect(documentOf(ended).error?.code).toBe('DATABASE_FULL');
        const halves = await own.database.sql`
        select from settlement_files f where f.status = 'loaded'
          and f.rows_accepted <> (select count(*) from settlement_records r where r.file_id = f.id)
        union all select from record_matches union all select from discrepancies`;
        expect(halves).toHaveLength(0);
        disk.free();
        expect([0, 1]).toContain((await night.run()).code);
        expect(await factsOf(own.database.sql)).toEqual(baseline);
      } finally {
        await own.drop();
        await disk.remove();
        night.end();
      }
    },
  );
});
