import { expect, onTestFinished, test } from 'vitest';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import type { ListedEvent } from '../../src/listings/list-audit-events.js';
import type { RunOutcome } from '../../src/outcome.js';
import { runCli } from '../support/cli.js';
import { needs } from '../support/needs.js';
import { folderForThisTest } from '../support/test-folder.js';
import { startTcpPostgres } from '../support/tls-postgres.js';
import { recon } from './recon.js';
import { createInstallation, paymentsFile, settlementFile, type Installation } from './installation.js';

interface Verdict {
  readonly intact: boolean;
  readonly events: number;
  readonly head: { readonly number: string; readonly hash: string };
  readonly anchors: { readonly found: number };
  readonly broken: { readonly number: string; readonly kind: string } | null;
  readonly error?: { readonly code: string };
}

test('the audit log has every act with who did it, is verified, and shows what was done to it', async () => {
  const installation = await createInstallation();
  const by = ['--by', 'anna'];
  const asOf = ['--as-of', '2026-11-20'];
  installation.write('payments.csv', paymentsFile(1, 2));
  installation.write('settlement.csv', settlementFile(1, 9));
  installation.write('recon.config.yaml', 'logLevel: silent\n');
  expect((await installation.recon('payments', 'import', 'payments.csv')).code).toBe(0);
  const run = await installation.json<RunOutcome>('run', '--file', 'settlement.csv', ...asOf);
  const { document: items } = await installation.json<{ discrepancyId: string }[]>(
    'items',
    '--code',
    'NOT_MATCHED',
  );
  const item = items[0]?.discrepancyId ?? '';
  const card = '4111 1111 1111 1111';
  const accepted = await installation.recon(
    'decide',
    item,
    '--accept',
    '--reason',
    `known, ${card}`,
    ...by,
    ...asOf,
  );
  expect(accepted).toMatchObject({ code: 0, stderr: '' });
  expect((await installation.recon('decide', item, '--undo', ...by, ...asOf)).code).toBe(0);
  expect(
    (await installation.recon('files', 'withdraw', 'settlement.csv', '--reason', card, ...by)).code,
  ).toBe(0);
  const entity = ['--entity', '8a8294174b7ecb28014b9699220015ca'];
  const token = await installation.json<{ id: string; token: string }>('tokens', 'create', ...entity, ...by);
  expect((await installation.recon('tokens', 'revoke', token.document.id, '--by', 'bert')).code).toBe(0);
  installation.write('recon.config.yaml', 'logLevel: silent\nlookbackDays: 61\n');
  expect(
    (await installation.recon('rerun', '--from', '2026-11-19', '--to', '2026-11-19', ...asOf)).code,
  ).toBe(0);

  const { document: events, stdout } = await installation.json<ListedEvent[]>('audit', 'list');
  const ours = events.filter(({ action }) => action !== 'database.migrated').reverse();
  expect(ours.map(({ action }) => action)).toEqual([
    'payments.imported',
    'configuration.changed',
    'run.completed',
    'decision.accept',
    'decision.undo',
    'file.withdrawn',
    'token.created',
    'token.revoked',
    'configuration.changed',
    'run.completed',
  ]);
  expect(ours.map(({ by: who }) => who).slice(3, 8)).toEqual(['anna', 'anna', 'anna', 'anna', 'bert']);
  expect(ours[8]?.details['changed']).toContain('lookbackDays');
  expect(ours[2]).toMatchObject({ subject: 'run 1', details: { files: [{ name: 'settlement.csv' }] } });
  for (const secret of [token.document.token, card, installation.database.url])
    expect(stdout).not.toContain(secret);

  // Filters, a table for people, and CSV.
  const some = await installation.json<ListedEvent[]>(
    'audit',
    'list',
    '--action',
    'decision',
    '--by',
    'anna',
    '--subject',
    item,
  );
  expect(some.document.map(({ action }) => action)).toEqual(['decision.undo', 'decision.accept']);
  expect((await installation.json('audit', 'list', '--to', '2020-01-01')).document).toEqual([]);
  expect((await installation.recon('audit', 'list', '--limit', '1')).stdout).toMatch(
    /run\.completed +run 2\n {2}\{/,
  );
  const csv = await installation.recon('audit', 'list', '--csv', '--action', 'token.revoked');
  expect(csv.stdout.split('\r\n')).toHaveLength(3);
  expect(csv.stdout).toContain(`;"bert";"token.revoked";"${token.document.id}";`);

  // Every report carries the end of the log.
  const intact = await installation.json<Verdict>('audit', 'verify');
  expect(intact.document).toMatchObject({ intact: true, events: events.length, anchors: { found: 2 } });
  const manifest = JSON.parse(readFileSync(run.document.reports?.manifest ?? '', 'utf8')) as {
    audit: { hash: string };
  };
  expect((await installation.recon('audit', 'verify', '--head', manifest.audit.hash)).stdout).toMatch(
    /is intact: \d+ events/,
  );
  expect((await installation.recon('audit', 'verify', '--head', 'f'.repeat(64))).code).toBe(5);

  // Somebody removes the last events and sets the head back: the reports still have the hash of one of them.
  await installation.database.database.sql.begin(async (tx) => {
    await tx`alter table audit_events disable trigger user`;
    await tx`delete from audit_events where number > 1`;
    await tx`update audit_head set (number, hash) = (select number, hash from audit_events)`;
    await tx`alter table audit_events enable trigger user`;
  });
  const cut = await installation.json<Verdict>('audit', 'verify');
  expect(cut).toMatchObject({
    code: 5,
    document: { intact: false, broken: { kind: 'removed', number: '2' }, error: { code: 'AUDIT_BROKEN' } },
  });
  const shown = await installation.recon('audit', 'verify');
  expect(shown).toMatchObject({ code: 5, stdout: '' });
  expect(shown.stderr).toMatch(
    /not as it was written. Events 2 to \d+ were removed.*run-000001.*\n.*\(AUDIT_BROKEN\)/,
  );
});

const whoImported = async (installation: Installation) => {
  const list = ['audit', 'list', '--action', 'payments.imported'];
  return (await installation.json<ListedEvent[]>(...list)).document.map(({ by }) => by);
};

test.each(['', '  '])('a RECON_USER of "%s" counts as one that is not set', async (name) => {
  const installation = await createInstallation();
  installation.write('payments.csv', paymentsFile(1));
  const environment = { ...installation.environment, RECON_USER: name };
  await recon(['payments', 'import', 'payments.csv'], { cwd: installation.directory, environment });
  expect(await whoImported(installation)).toEqual([userInfo().username]);
});

const account = needs.account();
test.skipIf(!account.isMet)(
  'an account without a name, as in a container, can run recon and is recorded by its number',
  account.orSkipped,
  async () => {
    const server = await startTcpPostgres('host all all 127.0.0.1/32 trust');
    const cwd = folderForThisTest();
    onTestFinished(() => server.close());
    chmodSync(cwd, 0o777);
    writeFileSync(path.join(cwd, 'payments.csv'), paymentsFile(1), { mode: 0o644 });
    const env = {
      RECON_DATABASE_URL: `postgresql://recon@127.0.0.1:${server.port}/postgres?sslmode=disable`,
    };
    expect(await runCli(['migrate'], { env, cwd })).toMatchObject({ code: 0 });
    const through = ['setpriv', '--reuid=1954321', '--regid=1954321', '--clear-groups'];
    const nameless = (...args: string[]) => runCli(args, { env, cwd, through });
    expect(await nameless('payments', 'import', 'payments.csv')).toMatchObject({ code: 0, stderr: '' });
    expect(await nameless('run', '--file', 'payments.csv', '--quiet')).toMatchObject({ code: 1 });
    const { stdout } = await nameless('audit', 'list', '--json');
    const authors = (JSON.parse(stdout) as ListedEvent[]).map(({ action, by }) => `${action} ${by}`);
    expect(authors).toContain('payments.imported user id 1954321');
    expect(authors).toContain('run.completed user id 1954321');
    // A decision needs a person.
    const decided = await nameless('files', 'withdraw', 'payments.csv', '--reason', 'a mistake');
    expect(decided.code).toBe(2);
    expect(decided.stderr).toContain(
      'This account has no name; say who decides with --by NAME or RECON_USER.',
    );
  },
);
