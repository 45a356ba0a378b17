import { expect, test } from 'vitest';
import { terminalProgress } from '../../../src/cli/text/terminal-progress.js';
import { Collector } from '../recon.js';

/** The progress bars need these methods of a terminal. */
class Terminal extends Collector {
  override isTTY = true;
  cursorTo = () => true;
  moveCursor = () => true;
  clearLine = () => true;
  clearScreenDown = () => true;
}

const frame = () => new Promise((resolve) => setTimeout(resolve, 150));

test('shows bars for work in progress, removes them when it is done, and prints log lines above them', async () => {
  const terminal = new Terminal();
  const progress = terminalProgress(terminal);
  const transfer = progress.begin('fetching a\u001b[2J.csv', 200, 'bytes');
  const stage = progress.begin('matching', null, 'rows');
  transfer.advance(100);
  stage.advance(7);
  await frame();
  expect(terminal.text).toContain('fetching a\\u001b[2J.csv');
  expect(terminal.text).toContain('50%');
  expect(terminal.text).toContain('7 rows');
  progress.writeAbove('a log line\n');
  expect(terminal.text).toContain('a log line\n');
  transfer.end();
  transfer.end();
  stage.end();
  const length = terminal.text.length;
  progress.writeAbove('after\n');
  await frame();
  expect(terminal.text.slice(length)).toBe('after\n');
  progress.begin('again', 1, 'files').end();
});

test('a stream that is no longer a terminal gets no bars', async () => {
  const pipe = new Collector();
  const progress = terminalProgress(pipe);
  progress.begin('x', 10, 'rows').end();
  await frame();
  expect(pipe.text).toBe('');
});
