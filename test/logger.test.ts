import { describe, expect, test } from 'vitest';
import { ReconError } from '../src/errors.js';
import { createLogger, type Logger } from '../src/logger.js';

function logged(
  work: (logger: Logger) => void,
  options: { readable?: boolean; level?: string } = {},
): string {
  let text = '';
  const logger = createLogger({ level: 'info', ...options, write: (line) => (text += line) });
  work(logger);
  return text;
}

/** What moves a cursor, ends a line or turns the direction of writing. */
const raw = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

describe.each([
  ['JSON lines', false],
  ['readable lines', true],
])('%s', (_name, readable) => {
  const card = '4200000000000000';

  test('secrets and card numbers are nowhere in them, at any depth', () => {
    const text = logged(
      (logger) => {
        const child = logger.child({ password: 'canary', source: { privateKey: 'canary' } });
        child.info({ deep: { deeper: [{ passphrase: 'canary', token: 'canary' }] } }, 'nested');
        child.warn({ card, number: { pan: card } }, `card ${card} in a message`);
        child.error({ err: new ReconError('DISK_FULL', `no room for ${card}`) }, 'ours');
        child.error(
          { err: Object.assign(new Error('canary'), { parameters: ['canary'], code: '23505' }) },
          'theirs',
        );
        child.error(Object.assign(new Error('canary'), { query: 'canary' }));
        child.info({ cause: new Error('canary') }, 'nested error');
      },
      { readable },
    );
    expect(text).not.toContain('canary');
    expect(text).not.toContain(card);
    expect(text).toContain('420000******0000');
    expect(text).toContain('23505');
    expect(text).toContain('DISK_FULL');
  });

  test.each([
    ['line feed', '\n'],
    ['carriage return', '\r'],
    ['both', '\r\n'],
    ['next line', '\u0085'],
    ['line separator', '\u2028'],
    ['escape', '\u001b[2J'],
    ['the eight-bit escape', '\u009b2J'],
    ['a title of the window', '\u001b]0;owned\u0007'],
    ['backspace', '\b\b\b'],
    ['nothing', '\u0000'],
    ['delete', '\u007f'],
    ['right to left', '\u202egnp.exe'],
    ['an Arabic letter mark', '\u061cgnp.exe'],
    ['an isolate', '\u2066x\u2069'],
  ])(
    'F135 %s in names, values and messages stays within its line and acts on no terminal',
    (_what, nasty) => {
      const forged = `a${nasty}{"level":60,"msg":"forged"}`;
      const text = logged(
        (logger) => {
          const child = logger.child({ source: forged });
          child.info({ file: forged, [forged]: 1, deep: { list: [forged] } }, forged);
          child.error({ err: new ReconError('FILE_UNREADABLE', forged) }, 'ours');
          child.error(new Error(forged));
        },
        { readable },
      );
      // The readable form puts an error below its entry, indented.
      const lines = text
        .trimEnd()
        .split('\n')
        .filter((line) => !readable || !line.startsWith('    '));
      expect(lines).toHaveLength(3);
      expect(text.replaceAll('\n', '')).not.toMatch(raw);
      if (!readable) {
        const [first, ...others] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(first).toMatchObject({ level: 30, source: forged, file: forged, msg: forged });
        expect(others.map(({ level }) => level)).toEqual([50, 50]);
      }
    },
  );

  test('F135 one entry is one line, whatever it holds', () => {
    const text = logged(
      (logger) => {
        logger.info({ file: 'a\r\n\u001b[2J\u009b{"level":60}.csv' }, 'line\nbreak \u001b[31m "quoted\\n"');
        logger.info('next');
      },
      { readable },
    );
    expect(text.trimEnd().split('\n')).toHaveLength(2);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(text).toContain('\\u001b[2J');
  });

  test('only from its level on', () => {
    expect(logged((logger) => logger.info('x'), { readable, level: 'warn' })).toBe('');
    expect(logged((logger) => logger.fatal('x'), { readable, level: 'silent' })).toBe('');
  });
});

test('a line has level, time and message, and numbers stay what they are', () => {
  const line = JSON.parse(
    logged((logger) => logger.info({ rows: 3, big: 12345678901234567890n, at: 1763600000000 }, 'loaded')),
  ) as object;
  expect(line).toMatchObject({ level: 30, rows: 3, at: 1763600000000, msg: 'loaded' });
  expect(line).toHaveProperty('time');
});

test('something without end does not hang it', () => {
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  expect(logged((logger) => logger.info({ loop }, 'round'))).toContain('round');
});
