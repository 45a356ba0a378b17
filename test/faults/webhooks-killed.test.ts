import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recon } from '../cli/recon.js';
import { entity, payment } from '../http/served.js';
import { startCli } from '../support/cli.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';
import { decrypted, receiver, type Receiver } from '../webhooks/receiver.js';

type Child = ReturnType<typeof startCli>;

const testDatabase = databaseForAllTests();
const directory = folderForAllTests();
let shop: Receiver;
const running = new Set<Child>();

beforeAll(async () => {
  const config = 'webhooks: { allowHosts: [127.0.0.1], timeoutMs: 1000 }\n';
  writeFileSync(path.join(directory.path, 'recon.config.yaml'), config, { mode: 0o600 });
  shop = await receiver();
});
afterAll(async () => {
  await Promise.all([...running].map(kill));
  await shop.close();
});

const environment = () => ({
  RECON_DATABASE_URL: testDatabase.url,
  RECON_DATA_DIR: path.join(directory.path, 'data'),
});

async function json<T>(...args: string[]): Promise<T> {
  const ended = await recon([...args, '--json'], { cwd: directory.path, environment: environment() });
  expect(ended).toMatchObject({ code: 0 });
  return JSON.parse(ended.stdout) as T;
}

/** A `recon serve` in its own process, and its address. */
async function serveProcess(): Promise<{ child: Child; url: string }> {
  const child = startCli(['serve', '--port', '0', '--json'], { env: environment(), cwd: directory.path });
  running.add(child);
  child.stderr.resume();
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) resolve((JSON.parse(text) as { url: string }).url);
    });
    child.once('exit', (code) => {
      reject(new Error(`serve ended with ${code}`));
    });
  });
  return { child, url };
}

async function kill(child: Child): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

test('F129 F131 notifications of killed processes arrive in order, at least once, with the same ids', async () => {
  const first = await serveProcess();
  const { token } = await json<{ token: string }>('tokens', 'create', '--entity', entity, '--by', 'test');
  const { id, key } = await json<{ id: string; key: string }>(
    ...['webhooks', 'add', '--url', shop.url, '--entity', entity, '--by', 'test'],
  );
  await json('webhooks', 'pause', id);
  const paid: string[] = [];
  for (let number = 0; number < 8; number += 1) {
    const answer = await fetch(`${first.url}/v1/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(payment('DB')).toString(),
    });
    paid.push(((await answer.json()) as { id: string }).id);
  }

  // Killed while the receiver has the second request, and has not answered it.
  shop.answer = (response) => {
    if (shop.received.length === 2) void kill(first.child);
    else response.writeHead(200).end();
  };
  await json('webhooks', 'resume', id);
  await shop.waitFor(2);
  await kill(first.child);

  // Two go on; both are killed when the fifth has been answered, and is not recorded or just recorded.
  const [second, third] = await Promise.all([serveProcess(), serveProcess()]);
  shop.answer = (response) => {
    response.writeHead(200).end();
    if (shop.received.length === 5) void Promise.all([kill(second.child), kill(third.child)]);
  };
  await shop.waitFor(5, 20_000);
  await Promise.all([kill(second.child), kill(third.child)]);

  shop.answer = 200;
  const last = await serveProcess();
  const isEmpty = async () => (await json<{ waiting: number }[]>('webhooks', 'list'))[0]?.waiting === 0;
  const since = Date.now();
  while (!(await isEmpty()) && Date.now() - since < 20_000) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const arrived = shop.received.map((one) => ({
    payment: decrypted(one, key)?.payload.id ?? '',
    message: String(one.headers['webhook-id']),
  }));
  // Only what a process was sending when it was killed may come twice, and then directly again.
  const inOrder = arrived.filter((one, index) => one.payment !== arrived[index - 1]?.payment);
  expect(inOrder.map((one) => one.payment)).toEqual(paid);
  expect(arrived.length).toBeGreaterThan(paid.length);
  expect(arrived.length).toBeLessThanOrEqual(paid.length + 2);
  expect(new Set(arrived.map(({ message }) => message)).size).toBe(paid.length);
  await kill(last.child);
});
