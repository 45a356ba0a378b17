import { onTestFinished, expect, test } from 'vitest';
import { recordSettings } from '../../src/run/audit-run.js';
import { createTestDatabase } from '../support/database.js';

test('settings in the audit log have no secrets, and are recorded once as long as they stay the same', async () => {
  const own = await createTestDatabase();
  onTestFinished(() => own.drop());
  const { sql } = own.database;
  const record = (settings: Record<string, unknown>) =>
    sql.begin((tx) => recordSettings(tx, 'anna', settings));
  const settings = {
    lookbackDays: 60,
    tolerance: new Map([['EUR', 1n]]),
    expected: { sequence: /_(\d+)\.csv$/, holidays: new Set(['2026-12-25']) },
    alerts: { password: 'S3cret-1', url: 'https://hooks.example.com/S3cret-2', signingKey: 'S3cret-3' },
  };
  await record(settings);
  await record(settings);
  await record({ ...settings, lookbackDays: 61 });
  const expected = { sequence: /-(\d+)\.csv$/, holidays: new Set(['2026-12-25', '2026-12-26']) };
  await record({ ...settings, lookbackDays: 61, expected });
  const rows = await sql<{ details: string }[]>`
    select details from audit_events where action = 'configuration.changed' order by number`;
  expect(rows).toHaveLength(3);
  const text = rows.map(({ details }) => details).join('\n');
  expect(text).not.toContain('S3cret');
  expect(text).toContain('"https://hooks.example.com/***"');
  expect(JSON.parse(rows[1]?.details ?? '')).toMatchObject({
    changed: ['lookbackDays'],
    settings: { lookbackDays: 61, tolerance: { EUR: '1' } },
  });
  expect(JSON.parse(rows[2]?.details ?? '')).toMatchObject({
    changed: ['expected'],
    settings: { expected: { sequence: '-(\\d+)\\.csv$', holidays: ['2026-12-25', '2026-12-26'] } },
  });
});
