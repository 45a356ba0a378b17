import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { FigureReader } from '../../src/metrics/figures.js';
import { createTestDatabase } from '../support/database.js';

test('however many ask, the database is read once at a time, at most every 15 seconds, and no timer stays', async () => {
  const testDatabase = await createTestDatabase();
  onTestFinished(() => testDatabase.drop());
  let nowMs = Date.UTC(2026, 10, 20, 12);
  let readings = 0;
  const reader = new FigureReader({
    sql: testDatabase.database.sql,
    logger: pino({ level: 'silent' }),
    sources: [],
    timezone: 'UTC',
    clock: () => nowMs,
    counted: () => {
      readings += 1;
      return Promise.resolve([]);
    },
  });
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const scrape = () => Promise.all(Array.from({ length: 5 }, () => reader.read()));
  expect((await scrape()).map(({ isDatabaseUp }) => isDatabaseUp)).toEqual(Array(5).fill(true));
  nowMs += 14_999;
  await scrape();
  expect(readings).toBe(1);
  nowMs += 1;
  await scrape();
  // A clock that was set back keeps nothing.
  nowMs -= 3_600_000;
  await scrape();
  expect(readings).toBe(3);
  expect(timers()).toBeLessThanOrEqual(before);
});
