import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openAndMigrate } from '../../src/db/connect.js';
import { holdEmbeddedServer, type EmbeddedServer } from '../../src/db/embedded/embedded-server.js';
import { readPostmaster } from '../../src/db/embedded/postmaster-file.js';
import { entity, payment, serve } from '../http/served.js';

/** A server for this test alone, which may be frozen. */
let directory: string;
let server: EmbeddedServer;
const frozen: number[] = [];

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'recon-frozen-'));
  server = await holdEmbeddedServer(directory, { shared_buffers: '32MB', fsync: 'off' });
  await openAndMigrate({ url: server.url }, { logger: pino({ enabled: false }) });
});

afterEach(async () => {
  for (const id of frozen.splice(0)) process.kill(id, 'SIGCONT');
  await server.release();
  rmSync(directory, { recursive: true, force: true });
});

/** The processes of the server: the postmaster first, then its children. */
function processes(): readonly number[] {
  const postmaster = readPostmaster(path.join(directory, 'database'))?.processId;
  if (postmaster === undefined) throw new Error('no server runs');
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => parentOf(id) === postmaster);
  return [postmaster, ...children];
}

function parentOf(id: number): number | undefined {
  try {
    const [, parent] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
    return Number(parent);
  } catch {
    return undefined;
  }
}

test('a gateway whose database does not answer any more stops in bounded time', async () => {
  const config = 'http: { requestTimeoutMs: 1000 }\nwebhooks: { allowHosts: [127.0.0.1] }\n';
  const gateway = await serve(config, { RECON_DATABASE_URL: server.url });
  onTestFinished(() => gateway.close());
  await gateway.recon('webhooks', 'add', '--url', 'http://127.0.0.1:1/', '--entity', entity, '--by', 'test');
  expect((await gateway.call('POST', '/v1/payments', payment('DB'))).status).toBe(200);
  // The job queue has begun, with connections to the same server.
  await expect.poll(() => gateway.stderr(), { timeout: 20_000 }).toContain('the connection was refused');
  frozen.push(...processes());
  for (const id of frozen) process.kill(id, 'SIGSTOP');
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
