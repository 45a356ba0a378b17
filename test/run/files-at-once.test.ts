import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createInstallation } from '../cli/installation.js';
import { fileOfRows } from '../support/settlement-rows.js';
import { zipOf } from '../support/zip.js';
import { arbitraryNight, filesOf, install, row, runOn, seenOf } from './overlapping-files.js';

/**
 * How many files are loaded at once changes nothing: the same files give the same rows, counts, messages and reports.
 * The files share records, so which of them a record belongs to would depend on which is stored first.
 */
const worlds = Number(process.env['RECON_PROPERTY_RUNS'] ?? 3);

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
