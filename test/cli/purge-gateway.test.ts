import { afterEach, expect, test, vi } from 'vitest';
import { createPaymentCore } from '../../src/payment-core/index.js';
import type { Purged } from '../../src/retention/purge.js';
import { card, encryptionKeys } from '../payment-core/support/test-core.js';
import { createInstallation, type Installation } from './installation.js';

/** What `recon purge` removes of jobs, registrations and idempotency keys, and what stays the same for merchants. */

const day = 86_400_000;
const start = Date.UTC(2026, 0, 10, 12);

function setDay(days: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: start + days * day });
}

afterEach(() => {
  vi.useRealTimers();
});

async function install(config: string) {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', config);
  const { sql } = installation.database.database;
  setDay(0);
  const core = await createPaymentCore({ sql, environment: 'test', encryptionKeys, clock: () => Date.now() });
  const register = async () => (await core.registrations.create(card)).id;
  return { installation, sql, core, register };
}

async function purge(installation: Installation, ...args: string[]) {
  const { code, document, stdout } = await installation.json<Purged>('purge', ...args);
  expect(code, stdout).toBe(0);
  const sums = document.kinds
    .filter(({ removed, kept }) => removed.count > 0 || kept.length > 0)
    .map(({ kind, removed, kept }) => [
      kind,
      removed.count,
      ...kept.map((one) => `${one.count} ${one.reason}`),
    ]);
  return { document, sums };
}

const daily = {
  paymentType: 'DB',
  amount: '9.00',
  currency: 'EUR',
  'job.hour': '6',
  'job.dayOfMonth': '*',
  'job.misfirePolicy': 'all',
};

test('ended jobs go with their fires, an active one keeps its last fire, and every payment stays', async () => {
  const { installation, sql, core, register } = await install('retention: { jobsDays: 100 }\n');
  const registration = await register();
  const running = await core.jobs.create(registration, daily);
  const ended = await core.jobs.create(registration, { ...daily, 'job.endDate': '2026-01-12 23:00:00' });
  setDay(4);
  await core.jobs.runDue();
  expect(await core.jobs.get(ended.id)).toMatchObject({ status: 'ended' });
  const young = await core.jobs.create(registration, daily);
  setDay(60);
  await core.jobs.delete(young.id);
  const [{ payments } = { payments: 0 }] = await sql<{ payments: number }[]>`
    select count(*)::integer as payments from payments`;
  expect(payments).toBe(6);

  setDay(100);
  expect((await purge(installation)).sums).toEqual([]);
  setDay(106);
  const preview = await purge(installation, '--dry-run');
  expect(preview.sums).toEqual([
    ['fires', 5, '1 newest'],
    ['jobs', 1],
  ]);
  const { document } = await purge(installation);
  expect({ ...document, dryRun: true }).toEqual(preview.document);
  const fires = await sql<{ job: string; firedAt: string }[]>`
    select job_id as job, fired_at::text as "firedAt" from job_runs`;
  expect(fires).toEqual([{ job: running.id, firedAt: '2026-01-14 06:00:00+00' }]);
  expect((await core.jobs.get(ended.id)).result.code).toBe('200.300.406');
  expect(await core.jobs.get(young.id)).toMatchObject({ status: 'deleted' });
  expect(await sql`select from payments`).toHaveLength(6);

  // What the running job did not make meanwhile is still made, and nothing is made twice.
  const again = await core.jobs.runDue(Date.now(), { limit: 1 });
  expect(again).toMatchObject([{ jobId: running.id, firedAt: '2026-01-15 06:00:00+0000' }]);
});

test('deleted registrations go unless an active job would pay with them, and their payments keep the id', async () => {
  const { installation, sql, core, register } = await install('retention: { registrationsDays: 100 }\n');
  const [paid, planned, kept, young] = [
    await register(),
    await register(),
    await register(),
    await register(),
  ];
  const payment = { paymentType: 'DB', amount: '9.00', currency: 'EUR' };
  const { id } = await core.registrations.pay(paid, payment);
  await core.jobs.create(planned, daily);
  await core.registrations.delete(paid);
  await core.registrations.delete(planned);
  setDay(2);
  await core.registrations.delete(young);
  setDay(101);
  expect((await purge(installation)).sums).toEqual([['registrations', 1, '1 has-job']]);
  const left = await sql<{ id: string }[]>`select id from registrations`;
  expect(left.map((row) => row.id).sort()).toEqual([planned, kept, young].sort());
  expect(await core.payments.get(id)).toMatchObject({ registrationId: paid });
  const codeOf = async (registration: string) =>
    (await core.registrations.pay(registration, payment)).result.code;
  expect([await codeOf(paid), await codeOf(young), await codeOf(kept)]).toEqual([
    '100.150.200',
    '100.150.202',
    '000.100.110',
  ]);
});

test('idempotency keys go after 24 hours, without a policy', async () => {
  const { installation, sql, core } = await install('');
  const pay = (idempotencyKey: string) =>
    core.payments.create(
      { paymentType: 'DB', amount: '9.00', currency: 'EUR', ...card },
      { idempotencyKey, entityIds: ['8a8294174b7ecb28014b9699220015ca'] },
    );
  await pay('old');
  await pay('young');
  await sql`update idempotency_keys
    set created_at = now() - case key when 'old' then interval '24 hours' else interval '23 hours' end`;
  const preview = await installation.recon('purge', '--dry-run');
  expect([preview.code, preview.stdout]).toEqual([
    0,
    expect.stringContaining('Idempotency keys older than 24 hours would be removed: 1.'),
  ]);
  expect((await purge(installation)).document.expiredKeys).toBe(1);
  expect(await sql`select key from idempotency_keys`).toEqual([{ key: 'young' }]);
  expect((await purge(installation)).document.expiredKeys).toBe(0);
});
