import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openMigrationSession } from '../../src/db/connect.js';
import { databaseUrl } from '../support/database-url.js';
import { selfSignedCertificate, usualCertificate } from '../support/self-signed-certificate.js';
import { startTcpPostgres } from '../support/tls-postgres.js';
import { installationOf } from './run-stories.js';
import { inSession, startThreeServers, untilUp, type ThreeServers } from './three-servers.js';

/** What a shard must be like to be used, and who waits for whoever writes there. */
let three: ThreeServers;
let directory: string;
let folders = 0;

beforeAll(async () => {
  three = await startThreeServers();
  directory = mkdtempSync(path.join(tmpdir(), 'recon-usable-shards-'));
  // The home server reads a certificate there.
  chmodSync(directory, 0o755);
});

afterAll(async () => {
  await three.stop();
  rmSync(directory, { recursive: true, force: true });
});

const installationOn = (home: string) =>
  installationOf('demo', home, path.join(directory, `data-${(folders += 1)}`));

test('a shard of another installation, layout or schema is refused, and migrate gives it the schema', async () => {
  const { home, a } = await three.createDivided();
  const { command } = installationOn(home);
  const expectRefusal = async (why: string) => {
    const message = `Shard a cannot be used: ${why}. Nothing was started.`;
    expect(await command('shards', 'check')).toMatchObject({
      code: 5,
      document: [{ error: { code: 'SHARD_INVALID', message } }, { error: null }],
    });
  };
  const [member] = await inSession(a, 'select installation::text from shard_membership');
  await inSession(a, 'update shard_membership set installation = gen_random_uuid()');
  await expectRefusal('its database belongs to another installation');
  await inSession(
    a,
    `update shard_membership set installation = '${String(member?.['installation'])}', layout = layout + 1`,
  );
  await expectRefusal('it was made by another version of recon, which divides data differently');
  await inSession(a, 'update shard_membership set layout = layout - 1');
  await inSession(home, `alter server recon_shard_a options (set dbname 'postgres')`);
  await expectRefusal('its database is not a shard');
  await inSession(home, `alter server recon_shard_a options (set dbname '${path.basename(a)}')`);

  // As before the last migration.
  await inSession(
    a,
    `drop index chargeback_links_chargeback;
      drop index chargeback_links_one_chargeback;
      create unique index chargeback_links_one_per_kind on chargeback_links (chargeback_id, kind) where active;
      delete from drizzle.__drizzle_migrations
      where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`,
  );
  await expectRefusal('its schema is not the one of the home database; run `recon migrate`');
  const migrated = await command('migrate');
  expect(migrated.document).toEqual({ applied: [], shards: { a: [expect.any(String)] } });
  expect((await command('shards', 'check')).code).toBe(0);
});

test('the home server and this machine verify the certificate of a shard as its URL says', async () => {
  const server = await startTcpPostgres('hostssl all all 127.0.0.1/32 trust', usualCertificate());
  onTestFinished(() => server.close());
  const authority = path.join(directory, 'authority.pem');
  writeFileSync(authority, usualCertificate().cert, { mode: 0o644 });
  const url = `postgres://recon@127.0.0.1:${server.port}/postgres?sslmode=verify-full&sslrootcert=${authority}`;
  await untilUp(url);
  const { home } = await three.create();
  const { command } = installationOn(home);
  const added = await command('shards', 'add', '--name', 'a', '--url', url);
  expect(added.document).toEqual({ added: 'a', shards: 1 });
  expect((await command('shards', 'check')).code).toBe(0);
  expect((await command('migrate')).code).toBe(0);
  // Another authority: the server could be anybody's.
  writeFileSync(authority, selfSignedCertificate().cert);
  expect((await command('shards', 'check')).document).toMatchObject([
    { error: { code: 'SHARD_UNREACHABLE' } },
  ]);
  const refused = await command('migrate');
  expect(refused.document.error?.message).toContain('could not prove its identity');
});

test('a shard that accepts connections and says nothing ends a command, and holds none forever', async () => {
  const { home, a } = await three.create();
  const { command, importPayments, run } = installationOn(home);
  expect((await command('shards', 'add', '--name', 'a', '--url', a)).code).toBe(0);
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const movedTo = (port: number | string) =>
    inSession(home, `alter server recon_shard_a options (set port '${port}')`);
  await movedTo((silent.address() as AddressInfo).port);
  const error = {
    code: 'SHARD_UNREACHABLE',
    message: 'Shard a does not answer the home server within 20s; nothing of this step was stored.',
  };
  const commands = [command('shards', 'check'), importPayments(), run()];
  const [checked, imported, started] = await Promise.all(commands);
  expect(checked).toMatchObject({ code: 5, document: [{ error }] });
  // One of them waits for the other, but no longer than for the shard.
  for (const each of [imported, started]) expect(each).toMatchObject({ code: 5, document: { error } });
  await movedTo(new URL(a).port);
  expect((await importPayments()).code).toBe(0);
  expect((await run()).code).toBe(1);
}, 120_000);

test('what reads on the shards waits for the transaction that writes there', async () => {
  const { home } = await three.createDivided();
  const { command, importPayments, run } = installationOn(home);
  await importPayments();
  await run();
  const configuration = path.join(directory, 'purge.yaml');
  writeFileSync(configuration, 'retention: { archiveDays: 400 }\n');
  const writer = openMigrationSession(home);
  await writer.unsafe('begin; lock table shard_turn in access exclusive mode');
  let ended = 0;
  const reading = [
    command('payments', 'export', path.join(directory, 'exported.csv')),
    command('report'),
    command('purge', '--dry-run', '--config', configuration),
  ].map((each) => each.finally(() => (ended += 1)));
  const waiting = `select from pg_stat_activity
    where datname = '${path.basename(home)}' and wait_event_type = 'Lock'`;
  await expect
    .poll(() => inSession(databaseUrl(home, 'postgres'), waiting), { timeout: 30_000 })
    .toHaveLength(reading.length);
  expect(ended).toBe(0);
  await writer.unsafe('commit');
  await writer.end();
  expect((await Promise.all(reading)).map(({ code }) => code)).toEqual([0, 0, 0]);
});
