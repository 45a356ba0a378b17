import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { needs } from '../support/needs.js';
import { serve } from './served.js';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/http.md'), 'utf8');
const commands = [...page.matchAll(/^```sh\n([^]*?)^```/gm)].map((match) => match[1] ?? '');
const run = promisify(execFile);
const main = path.resolve(import.meta.dirname, '../../dist/cli/main.js');

const curl = needs.curl();

test.skipIf(!curl.isMet)(
  'every command of docs/http.md works as it is written, in its order',
  curl.orSkipped,
  async () => {
    const gateway = await serve('webhooks:\n  allowHosts: [localhost]\n');
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
    const port = await freePort();
    const script = [
      'set -eu',
      "trap 'kill $(jobs -p)' EXIT",
      `recon() { '${process.execPath}' '${main}' "$@"; }`,
      `TOKEN=${made.token}`,
      `API=${gateway.url}`,
      ...calls.map((call) => `${call.replaceAll('8090', String(port))}\necho`),
    ].join('\n');
    const { PATH = '' } = process.env;
    const { stdout } = await run('bash', ['-c', script], {
      timeout: 50_000,
      cwd: gateway.directory,
      env: {
        PATH,
        RECON_DATABASE_URL: gateway.database.url,
        RECON_DATA_DIR: path.join(gateway.directory, 'data'),
      },
    });
    const answers = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map(
        (line) =>
          JSON.parse(line) as {
            id?: string;
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
      { paymentType: 'DB', amount: '12.00', result: { code: '000.100.110' } },
    ]);
    expect(stdout).toMatch(/^The receiver answered 200 after \d+ ms\.$/m);
    const [, notification = ''] = /^msg_[0-9a-f]{32} (.*)$/m.exec(stdout) ?? [];
    expect(JSON.parse(notification)).toMatchObject({
      type: 'PAYMENT',
      action: 'CREATED',
      payload: { id: answers.at(-1)?.id, amount: '12.00' },
    });
    expect(answers[3]?.records).toHaveLength(4);
  },
);
