import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { recon } from '../cli/recon.js';
import { entity, payment } from '../http/served.js';
import { startCli, watchCli } from '../support/cli.js';
import { createTestDatabase } from '../support/database.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { folderForThisTest } from '../support/test-folder.js';
import { receiver } from '../webhooks/receiver.js';

/** How the job queue says that a job is done. */
const jobDone = /delete from \S*_private_jobs/;

test('F129 a gateway whose connection is lost when a job of the queue is done keeps running and delivers', async () => {
  const database = await createTestDatabase();
  const directory = folderForThisTest();
  const shop = await receiver();
  let cuts = 0;
  const proxy = await startDatabaseProxy(database.url, (statement) => {
    if (cuts === 3 || !jobDone.test(statement)) return undefined;
    cuts += 1;
    return 'unsent';
  });
  onTestFinished(async () => {
    await proxy.close();
    await shop.close();
    await database.drop();
  });
  const config = 'webhooks: { allowHosts: [127.0.0.1], timeoutMs: 1000 }\n';
  writeFileSync(path.join(directory, 'recon.config.yaml'), config, { mode: 0o600 });
  const env = { RECON_DATABASE_URL: database.url, RECON_DATA_DIR: path.join(directory, 'data') };
  const json = async <T>(...args: string[]): Promise<T> => {
    const { stdout } = await recon([...args, '--json'], { cwd: directory, environment: env });
    return JSON.parse(stdout) as T;
  };
  const { token } = await json<{ token: string }>('tokens', 'create', '--entity', entity, '--by', 'test');
  await json('webhooks', 'add', '--url', shop.url, '--entity', entity, '--by', 'test');

  const served = startCli(['serve', '--port', '0', '--json'], {
    env: { ...env, RECON_DATABASE_URL: proxy.url },
    cwd: directory,
  });
  const gateway = watchCli(served);
  const url = await new Promise<string>((resolve) => {
    served.stdout.once('data', (line) => resolve((JSON.parse(String(line)) as { url: string }).url));
  });
  let paid = 0;
  const pay = async () => {
    const answer = await fetch(`${url}/v1/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(payment('DB')).toString(),
    });
    expect(answer.status).toBe(200);
    paid += 1;
    await shop.waitFor(paid);
  };
  // The queue may report several jobs in one statement, and some time after their notifications.
  while (cuts < 3 && paid < 30) await pay();
  await pay();
  expect(cuts).toBe(3);
  // The connections of the queues that ended are closed.
  await vi.waitFor(async () => {
    const open = await database.database.sql`
      select from pg_stat_activity where datname = current_database() and application_name = 'recon webhooks'`;
    expect(open.length).toBeLessThanOrEqual(3);
  });
  served.kill('SIGTERM');
  expect(await gateway.ended).toMatchObject({ code: 143 });
});
