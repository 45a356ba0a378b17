import { describe, expect, test } from 'vitest';
import { hasKilledProcessIn } from '../../../src/db/embedded/processes-in-log.js';

const at = (time: string, rest: string) => `2026-11-25 ${time} UTC [27757] ${rest}\n`;
const killed = 'LOG:  client backend (PID 2887) was terminated by signal 9: Killed';
const since = Date.parse('2026-11-25T02:35:00Z');

describe('a process of the server was killed', () => {
  test.each([
    ['a session', at('02:35:42.439', killed), true],
    ['another process', at('02:35:42.439', killed.replace('client backend', 'background writer')), true],
    [
      'a session, and the server runs again',
      at('02:35:42.439', killed) + at('02:35:43.001', 'LOG:  database system is ready to accept connections'),
      true,
    ],
    ['too long ago', at('02:34:59.999', killed), false],
    ['ended by another signal', at('02:35:42.439', killed.replace('9: Killed', '6: Aborted')), false],
    ['ended by a signal of two digits', at('02:35:42.439', killed.replace('9: Killed', '99: 99')), false],
    ['a statement that quotes such a line', at('02:35:42.439', `ERROR:  ${killed}`), false],
    ['nothing', '', false],
  ])('%s', (_what, log, expected) => {
    expect(hasKilledProcessIn(log, since)).toBe(expected);
  });
});
