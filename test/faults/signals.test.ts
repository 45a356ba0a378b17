import { readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createInstallation, paymentsFile, type Installation } from '../cli/installation.js';
import { startCli, watchCli } from '../support/cli.js';
import { createEmptyDatabase } from '../support/database.js';
import { untilSomebodyWaits } from '../support/until-somebody-waits.js';

/** Commands that are no runs end after the first signal too, and what they were storing is undone. */

const start = ({ directory, environment }: Installation, args: readonly string[], more = {}) =>
  watchCli(startCli([...args], { env: { ...environment, ...more }, cwd: directory }));

describe('a command that waits for a lock of its database', () => {
  test.each([
    ['payments import', ['payments', 'import', 'payments.csv'], 'payments', 'SIGTERM', 143],
    ['payments export', ['payments', 'export', 'all.csv'], 'payments', 'SIGINT', 130],
    ['items', ['items'], 'discrepancies', 'SIGTERM', 143],
    ['decide', ['decide', '--code', 'NOT_MATCHED', '--note', 'seen'], 'discrepancies', 'SIGINT', 130],
    ['runs', ['runs'], 'runs', 'SIGHUP', 143],
  ] as const)('%s', async (_name, args, table, signal, expected) => {
    const installation = await createInstallation();
    const { sql, url } = installation.database.database;
    installation.write('payments.csv', paymentsFile(1, 2));
    await sql.begin(async (tx) => {
      await tx`lock table ${tx(table)} in access exclusive mode`;
      const command = start(installation, args);
      await untilSomebodyWaits(url);
      command.kill(signal);
      const { code, stderr } = await command.ended;
      expect(stderr).toBe(
        `recon: Stopped by ${signal}; what had been stored is kept.\nStart the command again; a run continues where it stopped. (RUN_INTERRUPTED)\n`,
      );
      expect(code).toBe(expected);
    });
    expect(readdirSync(installation.directory)).toEqual(['payments.csv']);
    await expect
      .poll(
        () => sql`select from pg_stat_activity where datname = current_database()
      and application_name = 'recon' and state <> 'idle'`,
      )
      .toHaveLength(0);
    expect(await sql`select from payments`).toHaveLength(0);
  });
});

test('a move that waits for what is being stored; the next one continues it', async () => {
  const installation = await createInstallation();
  const { sql, url } = installation.database.database;
  const args = ['move', '--to', await createEmptyDatabase()];
  await sql.begin(async (tx) => {
    await tx`lock table payments in access exclusive mode`;
    const command = start(installation, args);
    await untilSomebodyWaits(url);
    command.kill('SIGTERM');
    expect((await command.ended).code).toBe(143);
  });
  expect(await start(installation, args).ended).toMatchObject({ code: 0, stderr: '' });
});

test('a command whose database accepts the connection and does not answer', async () => {
  const installation = await createInstallation();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const silent = { RECON_DATABASE_URL: `postgres://recon@127.0.0.1:${port}/recon` };
  const command = start(installation, ['items'], silent);
  await expect.poll(() => connections, { timeout: 20_000 }).toBeGreaterThan(0);
  command.kill('SIGTERM');
  expect((await command.ended).code).toBe(143);
  server.close();
});
