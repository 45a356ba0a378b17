import { expect, onTestFinished, test } from 'vitest';
import { withQuietLibraries } from '../../src/cli/quiet-libraries.js';
import { createLogger } from '../../src/logger.js';
import { serve } from '../http/served.js';

test('what a library writes to the console is only noted, without its text, until the work is done', async () => {
  const former = globalThis.console;
  const lines: string[] = [];
  const logger = createLogger({ level: 'debug', write: (line) => lines.push(line) });
  const work = withQuietLibraries(logger, async () => {
    expect(globalThis.console).not.toBe(former);
    globalThis.console.trace(new Error('the value 4711 of a statement'));
    globalThis.console.log('text');
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error('the work failed');
  });
  await expect(work).rejects.toThrow('the work failed');
  expect(globalThis.console).toBe(former);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'A library wrote a text, which is left out.',
    'A library wrote a text, which is left out.',
  ]);
  expect(lines.join('')).not.toContain('4711');
});

test('a gateway that runs has the quiet console', async () => {
  const former = globalThis.console;
  const gateway = await serve();
  onTestFinished(() => gateway.close());
  expect(globalThis.console).not.toBe(former);
  expect(await gateway.stop()).toBe(143);
  expect(globalThis.console).toBe(former);
});
