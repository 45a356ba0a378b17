import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { needs } from '../support/needs.js';
import { serve } from './served.js';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/http.md'), 'utf8');
const commands = [...page.matchAll(/^```sh\n([^]*?)^```/gm)].map((match) => match[1] ?? '');
const run = promisify(execFile);

const curl = needs.curl();

test.skipIf(!curl.isMet)(
  'every command of docs/http.md works as it is written, in its order',
  curl.orSkipped,
  async () => {
    const gateway = await serve();
    onTestFinished(() => gateway.close());
    const [start = '', token = '', ...calls] = commands;
    expect(start.trim()).toBe('recon serve --port 8080');
    expect(token).toContain('recon tokens create');
    expect(calls.length).toBeGreaterThan(5);
    // The page's gateway listens on another port, and its tokens are made by a separate process.
    const [makeToken = ''] = token.split('\n');
    const args = makeToken
      .replace(/^TOKEN=\$\(recon /, '')
      .replace(/ \|.*$/, '')
      .split(' ');
    const made = JSON.parse((await gateway.recon(...args)).stdout) as { token: string };
    const script = [
      'set -eu',
      `TOKEN=${made.token}`,
      `API=${gateway.url}`,
      ...calls.map((call) => `${call}\necho`),
    ].join('\n');
    const { stdout } = await run('bash', ['-c', script], { timeout: 50_000 });
    const answers = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map(
        (line) =>
          JSON.parse(line) as {
            paymentType?: string;
            amount?: string;
            records?: unknown[];
            result: { code: string };
          },
      );
    expect(answers).toMatchObject([
      { paymentType: 'RF', amount: '10.00', result: { code: '000.100.110' } },
      { paymentType: 'RV', amount: '2.00', result: { code: '000.100.110' } },
      { paymentType: 'CP', amount: '90.00', result: { code: '000.100.110' } },
      { result: { code: '000.000.100' } },
      { result: { code: '000.200.100' } },
      { paymentType: 'DB', result: { code: '800.100.155' } },
    ]);
    expect(answers[3]?.records).toHaveLength(4);
  },
);
