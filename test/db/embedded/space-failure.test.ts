import { describe, expect, test } from 'vitest';
import { spaceFailureIn } from '../../../src/db/embedded/space-failure.js';

const at = (time: string, rest: string) => `2026-11-25 ${time} UTC [27757] ${rest}\n`;
const panic = 'PANIC:  could not write to file "pg_wal/xlogtemp.27757": No space left on device';
const since = Date.parse('2026-11-25T02:35:00Z');

describe('the log of an embedded server after its connections were lost', () => {
  test('has the message with which the server ended for lack of space', () => {
    const log =
      at('02:35:40.627', 'LOG:  database system is ready to accept connections') +
      at('02:35:42.439', panic) +
      at('02:35:42.567', 'FATAL:  the database system is in recovery mode');
    expect(spaceFailureIn(log, since)).toBe(
      'could not write to file "pg_wal/xlogtemp.27757": No space left on device',
    );
  });

  test.each([
    ['an older one', at('02:34:59.999', panic)],
    [
      'a statement that failed for lack of space, which ends no connection',
      at('02:35:42.439', panic.replace('PANIC', 'ERROR')),
    ],
    ['another reason', at('02:35:42.439', 'PANIC:  could not locate a valid checkpoint record')],
    ['nothing', ''],
  ])('%s is not the cause', (_what, log) => {
    expect(spaceFailureIn(log, since)).toBeUndefined();
  });
});
