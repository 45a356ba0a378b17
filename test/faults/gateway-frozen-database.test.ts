import { expect, onTestFinished, test } from 'vitest';
import { entity, payment, serve } from '../http/served.js';
import { startFreezableServer } from '../support/frozen-server.js';

test('a gateway whose database does not answer any more stops in bounded time', async () => {
  const server = await startFreezableServer();
  const config = 'http: { requestTimeoutMs: 1000 }\nwebhooks: { allowHosts: [127.0.0.1] }\n';
  const gateway = await serve(config, { RECON_DATABASE_URL: server.url });
  onTestFinished(() => gateway.close());
  await gateway.recon('webhooks', 'add', '--url', 'http://127.0.0.1:1/', '--entity', entity, '--by', 'test');
  expect((await gateway.call('POST', '/v1/payments', payment('DB'))).status).toBe(200);
  // The job queue has begun, with connections to the same server.
  await expect.poll(() => gateway.stderr(), { timeout: 20_000 }).toContain('the connection was refused');
  server.freeze();
  const inProgress = gateway.call('POST', '/v1/payments', payment('DB')).then(
    ({ status }) => status,
    () => 'no answer',
  );
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const began = performance.now();
  expect(await gateway.stop()).toBe(143);
  expect(performance.now() - began).toBeLessThan(25_000);
  expect([503, 'no answer']).toContain(await inProgress);
  expect(gateway.stderr()).toContain('The gateway ended before everything in progress was finished');
});
