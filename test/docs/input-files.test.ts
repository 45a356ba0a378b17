import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createInstallation } from '../cli/installation.js';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/input-files.md'), 'utf8');
const blocksOf = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

/** A command of the page as the arguments of recon: without its comment, and with what is in quotes as one. */
const argumentsOf = (command: string) =>
  [...command.replace(/\s+#.*$/, '').matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
    .slice(1);

/** What each command must print. */
const prints: Readonly<Record<string, RegExp>> = {
  'payments import payments.csv --dry-run': /3 payments read: 3 new/,
  'payments import payments.csv': /3 payments read: 3 new/,
  'run --file settlement-2026-11-19.csv --dry-run': /3 matched, 0 ambiguous, 0 not matched/,
  'run --file settlement-2026-11-19.csv': /3 matched, 0 ambiguous, 0 not matched[^]*Discrepancies\n {2}none/,
  'explain settlement-2026-11-19.csv:2': /Result: MATCHED by UNIQUE_ID/,
  'rerun --from 2026-11-19 --to 2026-11-19': /3 matched, 0 ambiguous, 0 not matched/,
  'decide --code MISSING_SETTLEMENT --accept --reason settled before our first file --dry-run': /0 items/,
};

test('the two files of the page fit, and its commands do what it says', async () => {
  const installation = await createInstallation();
  const [settlements = '', payments = ''] = blocksOf('csv');
  installation.write('settlement-2026-11-19.csv', settlements);
  installation.write('payments.csv', payments);
  const commands = [
    ...blocksOf('sh'),
    ...[...page.matchAll(/`(recon rerun --from \d[^`]*)`/g)].map(([, command = '']) => command),
    ...blocksOf('text'),
  ].flatMap((text) => text.trimEnd().split('\n'));
  const tried: string[] = [];
  for (const command of commands) {
    const args = argumentsOf(command);
    const { stdout, stderr, code } = await installation.recon(...args);
    expect(code, `${command}\n${stdout}${stderr}`).toBe(0);
    expect(stdout).toMatch(prints[args.join(' ')] ?? /(?!)/);
    tried.push(args.join(' '));
  }
  expect(tried).toEqual(Object.keys(prints));
});
