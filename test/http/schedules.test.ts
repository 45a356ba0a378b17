import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createPaymentCore } from '../../src/payment-core/index.js';
import { runCli, startCli, watchCli } from '../support/cli.js';
import { card, serve, type Served } from './served.js';

/** Schedules that are made over HTTP, and paid by any number of processes: the gateway of this test is one of them. */
let gateway: Served;

beforeAll(async () => {
  gateway = await serve();
});
afterAll(() => gateway.close());

interface Fired {
  readonly jobId: string;
  readonly firedAt: string;
  readonly paymentId?: string;
  readonly resultCode: string;
}

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly nextRunAt: string | null;
  readonly lastPaymentId: string | null;
  readonly lastResultCode: string | null;
}

/** The database and the keys of the gateway, for another process. */
const elsewhere = () => ({
  cwd: gateway.directory,
  env: { RECON_DATABASE_URL: gateway.database.url, RECON_DATA_DIR: `${gateway.directory}/data` },
});

/** A registration, and a schedule that pays with it every day. */
async function schedule(
  more: Readonly<Record<string, string>> = {},
): Promise<{ id: string; registrationId: string }> {
  const registration = await gateway.call('POST', '/v1/registrations', { ...card });
  const registrationId = registration.body.id ?? '';
  const made = await gateway.call('POST', '/scheduling/v1/schedules', {
    registrationId,
    paymentType: 'SD',
    amount: '5.00',
    currency: 'EUR',
    'job.expression': '0 0 6 * * ? *',
    ...more,
  });
  expect(made.status).toBe(200);
  return { id: made.body.id ?? '', registrationId };
}

/** As if days had passed since the schedules were made. */
async function letDaysPass(ids: readonly string[], days: number): Promise<void> {
  const { sql } = gateway.database.database;
  await sql`update jobs set starts_at = starts_at - ${days} * interval '1 day',
    next_run_at = next_run_at - ${days} * interval '1 day' where id in ${sql(ids)}`;
}

async function list(...options: string[]): Promise<Listed[]> {
  return JSON.parse((await gateway.recon('jobs', 'list', '--json', ...options)).stdout) as Listed[];
}

test('several processes make each due payment once, and the schedules show it', async () => {
  // Each missed day is to be paid.
  const jobs = await Promise.all(Array.from({ length: 4 }, () => schedule({ 'job.misfirePolicy': 'all' })));
  const ids = jobs.map(({ id }) => id);
  await letDaysPass(ids, 5);
  const run = () => runCli(['jobs', 'run', '--json'], elsewhere());
  const ended = await Promise.all([run(), run()]);
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  const reported = ended.flatMap(({ stdout }) => JSON.parse(stdout) as Fired[]);
  expect(new Set(reported.map(({ jobId, firedAt }) => `${jobId} ${firedAt}`)).size).toBe(reported.length);

  const { sql } = gateway.database.database;
  const fires = await sql<{ jobId: string; paymentId: string; resultCode: string }[]>`
    select job_id as "jobId", payment_id as "paymentId", result_code as "resultCode" from job_runs`;
  expect(ids.map((id) => fires.filter(({ jobId }) => jobId === id).length)).toEqual([5, 5, 5, 5]);
  expect(new Set(fires.map(({ resultCode }) => resultCode))).toEqual(new Set(['000.100.110']));
  const payments = await sql<{ id: string }[]>`select id from payments`;
  expect(payments.map(({ id }) => id).sort()).toEqual(fires.map(({ paymentId }) => paymentId).sort());

  const read = await gateway.call('GET', `/scheduling/v1/schedules/${ids[0] ?? ''}`);
  expect(read).toMatchObject({ status: 200, body: { plan: { active: true } } });
  const found = await gateway.call('GET', `/v1/payments/${fires[0]?.paymentId ?? ''}`);
  expect(found).toMatchObject({ status: 200, body: { paymentType: 'DB', amount: '5.00' } });
  expect((await gateway.recon('jobs', 'run')).stdout).toBe('No scheduled payment is due.\n');
  const listed = await list();
  expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort());
  for (const { id, lastPaymentId } of listed) {
    expect(fires).toContainEqual({ jobId: id, paymentId: lastPaymentId, resultCode: '000.100.110' });
  }
  const table = (await gateway.recon('jobs', 'list', '--limit', '1')).stdout;
  expect(table).toContain('5.00 EUR of registration');
  expect(table).toContain('1 of 4; --limit shows more.');
});

test('a schedule whose registration was deleted ends without a payment', async () => {
  const { id, registrationId } = await schedule();
  await letDaysPass([id], 1);
  expect((await gateway.call('DELETE', `/v1/registrations/${registrationId}`)).status).toBe(200);
  expect((await gateway.recon('jobs', 'run')).code).toBe(0);
  expect(await list('--status', 'ended')).toMatchObject([
    { id, nextRunAt: null, lastPaymentId: null, lastResultCode: '100.150.202' },
  ]);
});

test('a schedule whose encryption key is missing stays due, and the others are paid', async () => {
  const stuck = await schedule();
  const other = await schedule({ 'job.misfirePolicy': 'all' });
  const { sql } = gateway.database.database;
  const seal = (keyId: string) =>
    sql`update registrations set account_key_id = ${keyId} where id = ${stuck.registrationId}`;
  const firesOf = async (id: string) => (await sql`select from job_runs where job_id = ${id}`).length;
  await seal('lost');
  await letDaysPass([stuck.id, other.id], 3);
  expect((await gateway.recon('jobs', 'run')).code).toBe(2);
  expect([await firesOf(stuck.id), await firesOf(other.id)]).toEqual([0, 3]);
  const again = await gateway.recon('jobs', 'run');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('has no key lost')]);
  await seal('first');
  expect((await gateway.recon('jobs', 'run')).code).toBe(0);
  expect(await firesOf(stuck.id)).toBe(1);
});

test('in live, gateway and command leave what is due to a program that has a connector', async () => {
  const key = 'ab'.repeat(32);
  const live = await serve('http: { environment: live }', {
    RECON_ENCRYPTION_KEYS: JSON.stringify({ current: 'first', keys: { first: key }, lookup: key }),
  });
  onTestFinished(() => live.close());
  expect(live.stderr()).toContain('scheduled payments stay due until it calls jobs.runDue()');
  const token = await live.token('--environment', 'live');
  const post = (target: string, form: Record<string, string>) => live.call('POST', target, form, { token });
  const registration = await post('/v1/registrations', { ...card });
  const job = await post('/scheduling/v1/schedules', {
    registrationId: registration.body.id ?? '',
    amount: '5.00',
    currency: 'EUR',
    'job.expression': '0 0 6 * * ? *',
  });
  const { sql } = live.database.database;
  await sql`update jobs set starts_at = starts_at - interval '1 day', next_run_at = next_run_at - interval '1 day'`;
  const ended = await live.recon('jobs', 'run');
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('need a connector to an acquirer')]);
  expect(await sql`select from job_runs`).toHaveLength(0);

  const core = await createPaymentCore({
    sql,
    environment: 'live',
    encryptionKeys: { current: 'first', keys: { first: key }, lookup: key },
    connectors: {
      default: { name: 'acquirer', process: () => Promise.resolve({ resultCode: '000.000.000' }) },
    },
  });
  expect(await core.jobs.runDue()).toMatchObject([{ jobId: job.body.id, resultCode: '000.000.000' }]);
  await core.close();
});

test('recon serve makes what is due as soon as it starts, and logs how many payments it made', async () => {
  const { id } = await schedule();
  const refused = await schedule({ testMode: 'EXTERNAL' });
  const before = gateway.stderr().length;
  await letDaysPass([id, refused.id], 1);
  const second = watchCli(startCli(['serve', '--port', '0'], elsewhere()));
  await expect
    .poll(() => list('--status', 'active'), { timeout: 15_000 })
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id, lastResultCode: '000.100.110' }),
        expect.objectContaining({ id: refused.id, lastResultCode: '600.200.201' }),
      ]),
    );
  second.kill('SIGTERM');
  const { code, stderr } = await second.ended;
  expect(code).toBe(143);
  // The gateway of this test may have had one of them.
  const logged = [
    ...`${stderr}${gateway.stderr().slice(before)}`.matchAll(/"payments":(\d+),"fires":(\d+)/g),
  ];
  const sumOf = (group: number) => logged.reduce((sum, line) => sum + Number(line[group]), 0);
  expect([sumOf(1), sumOf(2)]).toEqual([1, 2]);
});
