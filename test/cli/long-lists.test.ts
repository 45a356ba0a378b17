import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Decided } from '../../src/items/decide.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';
import { recon } from './recon.js';

/**
 * Lists of more entries than a batch of the database holds: JSON has all of them, and a table says how many it leaves
 * out.
 */
const entries = 2500;

const testDatabase = databaseForAllTests();
const folder = folderForAllTests();

beforeAll(async () => {
  writeFileSync(
    path.join(folder.path, 'recon.config.yaml'),
    `dataDirectory: data\ndatabaseUrl: ${testDatabase.url}\nlogLevel: silent\n`,
  );
  await testDatabase.database.sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', token::text, true) from run_fence`;
    await tx`insert into payments (key, id, payment_type, amount_minor, currency, result_code, requested_at)
      select n, lpad(n::text, 32, '0'), 'DB', 12345678, 'EUR', '000.000.000', '2026-11-01T10:00:00Z'
      from generate_series(1, ${entries}) n`;
    await tx`insert into discrepancies (id, code, severity, payment_key, difference_minor, message, first_seen_run)
      select lpad(n::text, 32, '0'), 'CHARGEBACK_EXCEEDS_PAYMENT', 'error', n, -1234567890,
        'A sentence that is longer than what is left of a line on a terminal of one hundred columns, number ' || n || '.', 1
      from generate_series(1, ${entries}) n`;
    await tx`insert into runs (id, kind, status, as_of, started_at, heartbeat_at, fence_token, host, process_id)
      select n, 'run', 'abandoned', '2026-11-20', '2026-11-20T05:30:00Z', '2026-11-20T05:30:00Z', 0, 'here', 1
      from generate_series(1, ${entries}) n`;
    await tx`insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id)
      select n, lpad(n::text, 64, '0'), 'bank', n || '.csv', 1, 'failed', '2026-11-20T05:30:00Z', 1
      from generate_series(1, ${entries}) n`;
    await tx`insert into payment_changes (payment_id, column_name, kind, old_value, new_value, file_name, file_sha256, line, changed_at)
      select lpad(n::text, 32, '0'), 'ShortId', 'FILLED', null, 'x', 'payments.csv', repeat('0', 64), n, '2026-11-20T05:30:00Z'
      from generate_series(1, ${entries}) n`;
  });
});

async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await recon(args, { cwd: folder.path });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const lists = [['discrepancies'], ['runs'], ['files'], ['payments', 'changes']];

test.each(lists)('%s %s: JSON holds everything, unless a limit is given', async (...command) => {
  const all = JSON.parse(await printed(...command, '--json')) as object[];
  expect(all).toHaveLength(entries);
  const first = JSON.parse(await printed(...command, '--json', '--limit', '1200')) as object[];
  expect(first).toEqual(all.slice(0, 1200));
});

test.each(lists)('%s %s: the table says how many it leaves out', async (...command) => {
  expect(await printed(...command)).toMatch(/\n50 of 2500; --limit shows more\.\n$/);
  expect(await printed(...command, '--limit', '2500')).not.toContain('--limit shows more');
});

test('discrepancies fit a terminal of 100 columns, with the whole sentence below each', async () => {
  const lines = (await printed('discrepancies', '--limit', '3')).split('\n');
  const sentences = lines.filter((line) => line.startsWith('  '));
  expect(sentences).toHaveLength(3);
  expect(sentences.every((line) => /, number \d+\.$/.test(line))).toBe(true);
  const table = lines.filter((line) => !line.startsWith('  '));
  expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test('a decision about more items than a batch has decides about each once, in the order of their ids', async () => {
  const { sql } = testDatabase.database;
  const decide = [
    'decide',
    '--code',
    'CHARGEBACK_EXCEEDS_PAYMENT',
    '--note',
    'seen',
    '--by',
    'anna',
    '--json',
  ];
  const preview = JSON.parse(await printed(...decide, '--dry-run')) as Decided;
  expect(preview.decisions.map(({ number }) => number)).toEqual(Array<null>(entries).fill(null));
  expect(await sql`select from decisions`).toHaveLength(0);

  const decided = JSON.parse(await printed(...decide)) as Decided;
  const ids = Array.from({ length: entries }, (_, index) => `${index + 1}`.padStart(32, '0'));
  expect(decided).toMatchObject({
    items: entries,
    atRisk: [{ currency: 'EUR', missing: '0.00', surplus: '30864197250.00' }],
  });
  expect(decided.basis).toBe(preview.basis);
  const listed = decided.decisions.map(({ number, item }) => ({ number, item }));
  expect(listed.map(({ item }) => item)).toEqual(ids);
  const stored = await sql`select number::text, item from decisions order by decisions.number`;
  expect(stored.map((row) => ({ ...row }))).toEqual(listed);
  const events = await sql`select details::json ->> 'decision' as number, subject as item from audit_events
    where action = 'decision.note' order by audit_events.number`;
  expect(events.map((row) => ({ ...row }))).toEqual(listed);
  expect(await printed('audit', 'verify')).toContain('The audit log is intact');
});

test('of many items that cannot be decided, the message names the first ones and counts the others', async () => {
  const { code, stderr } = await recon(['decide', '--severity', 'error', '--keep-both', '--by', 'anna'], {
    cwd: folder.path,
  });
  expect(code).toBe(2);
  const refused = stderr
    .split('\n')
    .filter((line) => line.includes('keep-both decides a RECORD_REDELIVERED'));
  expect({ named: refused.length, others: /… and (\d+) more/.exec(stderr)?.[1] }).toEqual({
    named: 20,
    others: `${entries - 20}`,
  });
});
