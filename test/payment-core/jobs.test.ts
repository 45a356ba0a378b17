import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endAfterNotice, nextFire, periodOf } from '../../src/payment-core/jobs/job-times.js';
import { validateParameters } from '../../src/payment-core/index.js';
import { card, createTestCore, encryptionKeys, noon, type TestCore } from './support/test-core.js';

const { 'card.cvv': _, ...instrument } = card;
const day = 86_400_000;

describe('times of a job', () => {
  const from = Date.UTC(2026, 10, 20, 12);
  test.each([
    ['0 0 0 1 1 ? *', '2027-01-01T00:00:00.000Z'],
    ['0 30 9 ? * 2 *', '2026-11-23T09:30:00.000Z'],
    ['0 0 0 ? * SUN *', '2026-11-22T00:00:00.000Z'],
    ['0 0 0 ? * 6#3 *', '2026-12-18T00:00:00.000Z'],
    ['0 0 0 ? * 6L *', '2026-11-27T00:00:00.000Z'],
    ['0 0 0 ? * L *', '2026-11-21T00:00:00.000Z'],
    ['0 0 0 L * ? *', '2026-11-30T00:00:00.000Z'],
    ['0 0 0 LW 1 ? *', '2027-01-29T00:00:00.000Z'],
    ['0 0 0 15W * ? *', '2026-12-15T00:00:00.000Z'],
    ['0/20 * * ? * * *', '2026-11-20T12:00:20.000Z'],
    ['0 0 0 29 2 ? *', '2028-02-29T00:00:00.000Z'],
    ['0 0 0 1 1 ? 2030', '2030-01-01T00:00:00.000Z'],
    ['0 0 0 1 1 ? 2020', undefined],
    // Steps of years begin in 1970.
    ['0 0 0 1 1 ? */3', '2027-01-01T00:00:00.000Z'],
    ['0 0 0 1 1 ? */4', '2030-01-01T00:00:00.000Z'],
    ['0 0 0 1 1 ? 2028,*/10', '2028-01-01T00:00:00.000Z'],
    ['0 0 0 1 1 ? 2029/4', '2029-01-01T00:00:00.000Z'],
    // A range that ends before it begins goes on from the start of its field, as in Quartz.
    ['0 0 0 ? * FRI-MON *', '2026-11-21T00:00:00.000Z'],
    ['0 0 0 ? * SAT-SUN *', '2026-11-21T00:00:00.000Z'],
    ['0 0 0 ? * 7-2/2 *', '2026-11-21T00:00:00.000Z'],
    ['0 0 22-2 21 * ? *', '2026-11-21T00:00:00.000Z'],
    ['0 0 22-2/3 * * ? *', '2026-11-20T22:00:00.000Z'],
    ['0 0 0 1 11-2 ? *', '2026-12-01T00:00:00.000Z'],
    ['0 0 0 15 9-1/2 ? *', '2027-01-15T00:00:00.000Z'],
    ['0 0 0 28-2 * ? *', '2026-11-28T00:00:00.000Z'],
    ['50-10/15 0 13 * * ? *', '2026-11-20T13:00:05.000Z'],
    ['0 50-10/5 12 * * ? *', '2026-11-20T12:05:00.000Z'],
    ['0 0 0 ? * L,2 *', '2026-11-21T00:00:00.000Z'],
  ])('%s fires next at %s', (expression, expected) => {
    const next = nextFire(expression, from);
    expect(next === undefined ? undefined : new Date(next).toISOString()).toBe(expected);
  });

  const points = { second: 59, minute: 59, hour: 23, dayOfMonth: 31, month: 12, dayOfWeek: 7 };
  const pieceOf = (most: number) => {
    const point = fc.integer({ min: 1, max: most }).map(String);
    const step = fc.constantFrom('', '/1', '/2', '/5');
    const special = ['L', 'LW', 'L-2', '15W', '6L', 'FRIL', '6#3', 'FRI-MON', 'SAT-SUN/2', 'SUN', '*'];
    return fc.oneof(
      point,
      fc.tuple(point, point, step).map(([from, to, by]) => `${from}-${to}${by}`),
      fc.constantFrom(...special),
    );
  };
  const fieldOf = (most: number) => fc.array(pieceOf(most), { minLength: 1, maxLength: 3 }).map(String);
  const years = fc.constantFrom('*', '2026-2030', '2030-2026', '2026,2028/2');

  test('every time that is accepted can be computed', () => {
    const times = fc.record({
      second: fieldOf(points.second),
      minute: fieldOf(points.minute),
      hour: fieldOf(points.hour),
      day: fc.oneof(
        fieldOf(points.dayOfMonth).map((ofMonth) => [ofMonth, '?'] as const),
        fieldOf(points.dayOfWeek).map((ofWeek) => ['?', ofWeek] as const),
      ),
      month: fieldOf(points.month),
      year: years,
    });
    let accepted = 0;
    fc.assert(
      fc.property(times, ({ second, minute, hour, day: [ofMonth, ofWeek], month, year }) => {
        const isAccepted = (expression: string) =>
          validateParameters('job', { 'job.expression': expression }, { environment: 'test' }).every(
            ({ name }) => name !== 'job.expression',
          );
        // Each field alone, since few random times have seven fields that are accepted.
        for (const expression of [
          `${second} 0 0 1 1 ?`,
          `0 ${minute} 0 1 1 ?`,
          `0 0 ${hour} 1 1 ?`,
          `0 0 0 ${ofMonth} * ${ofWeek}`,
          `0 0 0 1 ${month} ?`,
          `0 0 0 1 1 ? ${year}`,
        ].filter(isAccepted)) {
          accepted += 1;
          expect(() => nextFire(expression, from)).not.toThrow();
        }
      }),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(500);
  });

  test('a duration ends a job unless a notice is agreed', () => {
    const year = { 'job.durationNumber': '1', 'job.durationUnit': 'YEAR' };
    // The moment at which it ends is no longer part of it.
    const inAYear = Date.UTC(2027, 10, 20, 12) - 1;
    expect(periodOf(year, from).endsAt).toBe(inAYear);
    const notice = { ...year, 'job.noticeNumber': '1', 'job.noticeUnit': 'MONTH' };
    expect(periodOf(notice, from).endsAt).toBeNull();
    const withoutUnit = { ...year, 'job.noticeNumber': '1' };
    expect(periodOf(withoutUnit, from).endsAt).toBe(inAYear);
    const atEnd = { ...notice, 'job.noticeCallable': 'DURATION_END' };
    const inTime = Date.UTC(2027, 9, 1);
    const tooLate = Date.UTC(2027, 10, 1);
    expect(endAfterNotice(atEnd, from, inTime)).toBe(inAYear);
    expect(endAfterNotice(atEnd, from, tooLate)).toBe(Date.UTC(2028, 10, 20, 12) - 1);
    expect(endAfterNotice(notice, from, inTime)).toBe(Date.UTC(2027, 10, 1) - 1);
    expect(endAfterNotice(year, from, inTime)).toBe(inTime);
  });
});

describe('a period that repeats until a job is deleted', () => {
  const monthly = { 'job.durationNumber': '1', 'job.durationUnit': 'MONTH' };
  const everySecond = { 'job.durationNumber': '1', 'job.durationUnit': 'SECOND' };
  const notice = {
    'job.noticeNumber': '1',
    'job.noticeUnit': 'DAY',
    'job.noticeCallable': 'DURATION_END',
  };
  test.each([
    ['before the start', monthly, '2027-01-31', '2027-01-15', '2027-01-31'],
    ['in a short month', monthly, '2027-01-31', '2027-02-10', '2027-02-28'],
    ['after a short month', monthly, '2027-01-31', '2027-03-10', '2027-03-31'],
    ['a day before the end', monthly, '2027-01-31', '2027-03-30', '2027-03-31'],
    ['on the day of the end', monthly, '2027-01-31', '2027-03-31', '2027-04-30'],
    // Counting these one after the other would take hours.
    ['after billions of periods', everySecond, '1900-01-01', '2027-03-10', '2027-03-11'],
  ])('ends as often as it is long, deleted %s', (_when, duration, start, deleted, expected) => {
    const end = endAfterNotice({ ...duration, ...notice }, Date.parse(start), Date.parse(deleted));
    expect(new Date(end + 1).toISOString()).toBe(`${expected}T00:00:00.000Z`);
  });
});

describe('a job', () => {
  let world: TestCore;
  let registrationId: string;
  beforeEach(async () => {
    world = await createTestCore();
    registrationId = (await world.core.registrations.create(instrument)).id;
  });
  afterEach(() => world.drop());

  const daily = { amount: '9.99', currency: 'EUR', 'job.expression': '0 0 6 * * ? *' };
  const paid = async () => {
    const { payments = [] } = await world.core.query({ paymentTypes: 'DB' });
    return payments;
  };

  test('pays over its registration when it is due, each fire once, and missed fires too when the policy makes all of them', async () => {
    const job = await world.core.jobs.create(registrationId, {
      ...daily,
      'job.name': 'gym',
      'job.misfirePolicy': 'all',
    });
    expect(job).toMatchObject({
      status: 'active',
      expression: '0 0 6 * * ? *',
      nextRunAt: '2026-11-21 06:00:00+0000',
      paymentType: 'DB',
    });
    expect(await world.core.jobs.runDue()).toEqual([]);
    const at = noon + 3 * day;
    const runs = (await Promise.all(Array.from({ length: 8 }, () => world.core.jobs.runDue(at)))).flat();
    expect(runs.map(({ firedAt }) => firedAt).sort()).toEqual([
      '2026-11-21 06:00:00+0000',
      '2026-11-22 06:00:00+0000',
      '2026-11-23 06:00:00+0000',
    ]);
    expect((await paid()).map(({ id }) => id).sort()).toEqual(runs.map(({ paymentId }) => paymentId).sort());
    expect((await paid())[0]).toMatchObject({
      amount: '9.99',
      registrationId,
      standingInstruction: { mode: 'REPEATED', source: 'MIT', type: 'RECURRING' },
      transactionProcessingCode: 'PURCHASE',
      result: { code: '000.100.110' },
    });
    expect(await world.core.jobs.runDue(at)).toEqual([]);
  });

  test('makes the newest of the fires that it missed unless it says otherwise, and records the others', async () => {
    const { id } = await world.core.jobs.create(registrationId, daily);
    const at = noon + 5 * day;
    const runs = (await Promise.all(Array.from({ length: 8 }, () => world.core.jobs.runDue(at)))).flat();
    const skipped = { fires: 4, from: '2026-11-21 06:00:00+0000', to: '2026-11-24 06:00:00+0000' };
    expect(runs).toMatchObject([{ jobId: id, firedAt: '2026-11-25 06:00:00+0000', skipped }]);
    expect(await world.core.jobs.get(id)).toMatchObject({ skipped, nextRunAt: '2026-11-26 06:00:00+0000' });
    await world.core.jobs.runDue(at + day);
    expect(await paid()).toHaveLength(2);
    expect(await world.core.jobs.get(id)).toMatchObject({ skipped, nextRunAt: '2026-11-27 06:00:00+0000' });
  });

  test('with the policy none leaves out every fire that is late', async () => {
    const { id } = await world.core.jobs.create(registrationId, { ...daily, 'job.misfirePolicy': 'none' });
    expect(await world.core.jobs.runDue(noon + 2 * day)).toEqual([]);
    expect(await world.core.jobs.get(id)).toMatchObject({
      status: 'active',
      job: { misfirePolicy: 'none' },
      nextRunAt: '2026-11-23 06:00:00+0000',
      skipped: { fires: 2, from: '2026-11-21 06:00:00+0000', to: '2026-11-22 06:00:00+0000' },
    });
    const onTime = Date.UTC(2026, 10, 23, 6, 1);
    expect(await world.core.jobs.runDue(onTime)).toMatchObject([{ firedAt: '2026-11-23 06:00:00+0000' }]);
  });

  test('that is days behind does not keep others waiting, and a call is bounded', async () => {
    const everySecond = { ...daily, 'job.expression': '* * * * * ? *', 'job.misfirePolicy': 'all' };
    const busy = await world.core.jobs.create(registrationId, everySecond);
    const other = await world.core.jobs.create(registrationId, daily);
    const at = noon + 5 * day;
    const runs = await world.core.jobs.runDue(at, { limit: 6, limitPerJob: 4 });
    const of = (id: string) => runs.filter(({ jobId }) => jobId === id).length;
    expect([of(busy.id), of(other.id)]).toEqual([4, 1]);
    expect(await world.core.jobs.runDue(at, { limit: 3 })).toHaveLength(3);
    expect(await world.core.jobs.runDue(at, { limit: 0 })).toEqual([]);
    await world.core.jobs.update(busy.id, { 'job.misfirePolicy': 'latest' });
    const [caughtUp] = await world.core.jobs.runDue(at);
    expect(caughtUp).toMatchObject({ firedAt: '2026-11-25 12:00:00+0000', skipped: { fires: 1000 } });
    expect(await world.core.jobs.runDue(at)).toEqual([]);
  });

  test('whose account number cannot be opened does not keep the others waiting, and stays due', async () => {
    const lostKeys = { ...encryptionKeys, current: 'lost', keys: { lost: '33'.repeat(32) } };
    const withLost = await world.open({ encryptionKeys: lostKeys });
    const ofLost = (await withLost.registrations.create(instrument)).id;
    const stuck = await world.core.jobs.create(ofLost, daily);
    const other = await world.core.jobs.create(registrationId, daily);
    for (const days of [1, 2]) {
      const runs = await world.core.jobs.runDue(noon + days * day);
      expect(runs.map(({ jobId }) => jobId)).toEqual([other.id]);
    }
    // Nothing else is due, so the call says why.
    await expect(world.core.jobs.runDue(noon + 2 * day)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('has no key lost') as string,
    });
    const keys = { ...encryptionKeys.keys, ...lostKeys.keys };
    const found = await world.open({ encryptionKeys: { ...encryptionKeys, keys } });
    expect(await found.jobs.runDue(noon + 2 * day)).toMatchObject([
      { jobId: stuck.id, firedAt: '2026-11-22 06:00:00+0000', resultCode: '000.100.110' },
    ]);
  });

  test('is changed and deleted', async () => {
    const { id } = await world.core.jobs.create(registrationId, daily);
    const changed = await world.core.jobs.update(id, { amount: '12.00', 'job.expression': '0 0 7 * * ? *' });
    expect(changed).toMatchObject({ amount: '12.00', nextRunAt: '2026-11-21 07:00:00+0000' });
    expect(await world.core.jobs.get(id)).toMatchObject({ amount: '12.00', expression: '0 0 7 * * ? *' });
    expect(await world.core.jobs.delete(id)).toMatchObject({ status: 'deleted' });
    expect((await world.core.jobs.delete(id)).result.code).toBe('100.360.303');
    expect((await world.core.jobs.update(id, daily)).result.code).toBe('100.360.300');
    expect(await world.core.jobs.runDue(noon + 5 * day)).toEqual([]);
    expect((await world.core.jobs.get('unknown')).result.code).toBe('200.300.406');
  });

  test('is validated as a whole after a change, since its payments have all of it', async () => {
    const { jobs } = world.core;
    const quarterly = { ...daily, 'job.expression': '0 0/15 7 * * ? *', 'cart.items[0].name': 'Book' };
    const { id } = await jobs.create(registrationId, {
      ...quarterly,
      'job.startDate': '2026-12-01 00:00:00',
    });
    for (const [change, name] of [
      [{ 'customer.email': 'jane@shop.example' }, 'customer.givenName'],
      [{ 'forex.amount': '3.00' }, 'forex.currency'],
      [{ 'cart.items[2].name': 'Pen' }, 'cart.items[2].name'],
      [{ 'job.endDate': '2026-11-30 00:00:00' }, 'job.endDate'],
    ] as const) {
      const refused = await jobs.update(id, change);
      expect(refused.result.parameterErrors?.map((error) => error.name)).toContain(name);
    }
    expect((await jobs.update(id, { amount: '0.00' })).result.code).toBe('100.550.300');
    expect((await jobs.update(id, { amount: '0.00' })).result.code).toBe('100.550.300');
    const { result } = await jobs.update(id, { 'cart.items[1].name': 'Pen', amount: '12.00' });
    expect(result.code).toBe('000.000.100');
    expect(await jobs.get(id)).toMatchObject({ amount: '12.00', nextRunAt: '2026-12-01 07:00:00+0000' });
  });

  test('that is deleted with notice runs until then', async () => {
    const { id } = await world.core.jobs.create(registrationId, {
      ...daily,
      'job.misfirePolicy': 'all',
      'job.noticeNumber': '2',
      'job.noticeUnit': 'DAY',
      'job.noticeCallable': 'ANYTIME',
    });
    const deleted = await world.core.jobs.delete(id);
    expect(deleted).toMatchObject({ status: 'active', endsAt: '2026-11-22 12:00:00+0000' });
    expect(await world.core.jobs.runDue(noon + 9 * day)).toHaveLength(2);
    expect(await world.core.jobs.get(id)).toMatchObject({ status: 'ended' });
  });

  test('over midnight of a weekend is created; one that cannot be computed is refused with the field and the reason', async () => {
    const { jobs } = world.core;
    const over = await jobs.create(registrationId, { ...daily, 'job.expression': '0 0 22-2 ? * FRI-MON' });
    expect(over).toMatchObject({
      expression: '0 0 22-2 ? * FRI-MON *',
      nextRunAt: '2026-11-20 22:00:00+0000',
    });
    const money = { amount: '9.99', currency: 'EUR' };
    const message = 'cannot count days back from the last day of the month (L-2); L and LW are supported';
    for (const [name, value] of [
      ['job.expression', '0 0 6 L-2 * ?'],
      ['job.dayOfMonth', 'L-2'],
    ] as const) {
      const refused = {
        code: '200.300.404',
        parameterErrors: [{ name, value, message: `${name} ${message}` }],
      };
      expect((await jobs.create(registrationId, { ...money, [name]: value })).result).toMatchObject(refused);
      expect((await jobs.update(over.id, { [name]: value })).result).toMatchObject(refused);
    }
  });

  test('of twelve months makes twelve monthly payments', async () => {
    const { id, endsAt } = await world.core.jobs.create(registrationId, {
      ...daily,
      'job.expression': '0 0 6 1 * ?',
      'job.startDate': '2026-12-01 06:00:00',
      'job.durationNumber': '12',
      'job.durationUnit': 'MONTH',
      'job.misfirePolicy': 'all',
    });
    expect(endsAt).toBe('2027-12-01 06:00:00+0000');
    const runs = await world.core.jobs.runDue(noon + 800 * day);
    expect([runs.length, runs.at(-1)?.firedAt]).toEqual([12, '2027-11-01 06:00:00+0000']);
    expect(await world.core.jobs.get(id)).toMatchObject({ status: 'ended' });
  });

  describe('that an earlier version stored, with an end that belonged to it', () => {
    const monthly = {
      ...daily,
      'job.expression': '0 0 6 1 * ?',
      'job.startDate': '2026-12-01 06:00:00',
      'job.durationNumber': '3',
      'job.durationUnit': 'MONTH',
    };
    const end = '2027-03-01T06:00:00Z';
    const lastPayment = '2027-02-01 06:00:00+0000';
    /** A job as that version stored it. */
    async function stored(parameters: Readonly<Record<string, string>>, nextRunAt?: string): Promise<string> {
      const { id } = await world.core.jobs.create(registrationId, { ...monthly, ...parameters });
      await world.database.database.sql`
        update jobs set ends_at = ${end}::text::timestamptz,
          next_run_at = coalesce(${nextRunAt ?? null}::text::timestamptz, next_run_at) where id = ${id}`;
      return id;
    }

    test.each(['all', 'latest', 'none'])(
      'makes no payment at its end, with the policy %s',
      async (policy) => {
        const id = await stored({ 'job.misfirePolicy': policy });
        const runs = [];
        for (let month = 11; month < 16; month += 1) {
          runs.push(...(await world.core.jobs.runDue(Date.UTC(2026, month, 1, 6, 0, 30))));
        }
        expect([runs.length, runs.at(-1)?.firedAt]).toEqual([3, lastPayment]);
        expect(await world.core.jobs.get(id)).toMatchObject({
          status: 'ended',
          endsAt: '2027-03-01 06:00:00+0000',
        });
      },
    );

    test('does not make the payment at its end that was planned already', async () => {
      const id = await stored({}, end);
      expect(await world.core.jobs.get(id)).not.toHaveProperty('nextRunAt');
      expect(await world.core.jobs.runDue(Date.parse(end) + 30_000)).toEqual([]);
      expect(await world.core.jobs.get(id)).toMatchObject({ status: 'ended' });
      expect(await paid()).toEqual([]);
    });

    test('makes the payment of job.endDate', async () => {
      const notice = {
        'job.noticeNumber': '1',
        'job.noticeUnit': 'DAY',
        'job.noticeCallable': 'DURATION_END',
      };
      await stored({ ...notice, 'job.endDate': '2027-03-01 06:00:00' }, end);
      expect(await world.core.jobs.runDue(Date.parse(end))).toMatchObject([
        { firedAt: '2027-03-01 06:00:00+0000' },
      ]);
    });

    test('and that was deleted to the end of a period makes none of the next period', async () => {
      const notice = {
        'job.noticeNumber': '1',
        'job.noticeUnit': 'DAY',
        'job.noticeCallable': 'DURATION_END',
      };
      const id = await stored({ ...notice, 'job.durationNumber': '1' }, end);
      expect(await world.core.jobs.runDue(Date.parse(end))).toEqual([]);
      expect(await world.core.jobs.get(id)).toMatchObject({ status: 'ended' });
    });
  });

  test('whose notice expires at the end of a period makes no payment of the next one', async () => {
    const { id } = await world.core.jobs.create(registrationId, {
      ...daily,
      'job.expression': '0 0 6 1 * ?',
      'job.startDate': '2026-12-01 06:00:00',
      'job.durationNumber': '1',
      'job.durationUnit': 'MONTH',
      'job.noticeNumber': '7',
      'job.noticeUnit': 'DAY',
      'job.noticeCallable': 'DURATION_END',
    });
    world.advance(20 * day);
    expect(await world.core.jobs.runDue()).toMatchObject([{ firedAt: '2026-12-01 06:00:00+0000' }]);
    expect(await world.core.jobs.delete(id)).toMatchObject({
      status: 'deleted',
      endsAt: '2027-01-01 06:00:00+0000',
    });
    expect(await world.core.jobs.runDue(noon + 100 * day)).toEqual([]);
  });

  test('can be deleted after its notice was changed, if it once had one that no calendar has', async () => {
    const { id } = await world.core.jobs.create(registrationId, {
      ...daily,
      'job.noticeNumber': '1',
      'job.noticeUnit': 'DAY',
    });
    await world.database.database.sql`
      update jobs set parameters = parameters || '{"job.noticeNumber": "9000", "job.noticeUnit": "YEAR"}'`;
    expect((await world.core.jobs.delete(id)).result.code).toBe('100.250.120');
    await world.core.jobs.update(id, { 'job.noticeNumber': '0' });
    expect(await world.core.jobs.delete(id)).toMatchObject({ status: 'deleted' });
  });

  test('that an earlier version stored as INITIAL is changed once REPEATED is sent', async () => {
    const { jobs } = world.core;
    const { id } = await jobs.create(registrationId, daily);
    await world.database.database.sql`
      update jobs set parameters = parameters || '{"standingInstruction.mode": "INITIAL"}' where id = ${id}`;
    expect((await jobs.update(id, { amount: '12.00' })).result).toMatchObject({
      code: '200.300.404',
      parameterErrors: [{ name: 'standingInstruction.mode', value: 'INITIAL' }],
    });
    const repeated = { amount: '12.00', 'standingInstruction.mode': 'REPEATED' };
    expect(await jobs.update(id, repeated)).toMatchObject({ id, amount: '12.00' });
    const [run] = await jobs.runDue(noon + 2 * day);
    expect(await world.core.payments.get(run?.paymentId ?? '')).toMatchObject({
      amount: '12.00',
      standingInstruction: { mode: 'REPEATED' },
    });
  });

  test('that was deleted with notice still ends then after a change', async () => {
    const { jobs } = world.core;
    const { id } = await jobs.create(registrationId, {
      ...daily,
      'job.noticeNumber': '2',
      'job.noticeUnit': 'DAY',
    });
    await jobs.delete(id);
    const endsAt = '2026-11-22 12:00:00+0000';
    expect(await jobs.update(id, { amount: '12.00' })).toMatchObject({ amount: '12.00', endsAt });
    expect(await jobs.update(id, { 'job.expression': '0 0 7 * * ?' })).toMatchObject({ endsAt });
    expect((await jobs.update(id, { 'job.startDate': '2026-12-01 00:00:00' })).result).toMatchObject({
      code: '100.250.110',
      parameterErrors: [
        {
          name: 'job.expression',
          message: 'job.expression names no time before the end of the job, which was deleted with notice',
        },
      ],
    });
    await jobs.runDue(noon + 9 * day);
    expect(await jobs.get(id)).toMatchObject({ status: 'ended' });
  });

  test('that was deleted with notice is ended by it, and not by a duration that repeats', async () => {
    const { jobs } = world.core;
    const { id } = await jobs.create(registrationId, {
      ...daily,
      'job.durationNumber': '12',
      'job.durationUnit': 'MONTH',
      'job.noticeNumber': '2',
      'job.noticeUnit': 'DAY',
    });
    await jobs.delete(id);
    expect((await jobs.update(id, { 'job.expression': '0 0 6 1 * ?' })).result).toMatchObject({
      code: '100.250.110',
      parameterErrors: [
        {
          name: 'job.expression',
          message: 'job.expression names no time before the end of the job, which was deleted with notice',
        },
      ],
    });
  });

  test('keeps a longer duration that replaces an earlier one', async () => {
    const { jobs } = world.core;
    const unit = { 'job.durationUnit': 'DAY' };
    const { id } = await jobs.create(registrationId, { ...daily, ...unit, 'job.durationNumber': '2' });
    const longer = await jobs.update(id, { 'job.durationNumber': '5' });
    expect(longer).toMatchObject({ endsAt: '2026-11-25 12:00:00+0000' });
  });

  test.each([
    ['its amount', (id: string) => world.core.jobs.update(id, { amount: '12.00' })],
    ['its end', (id: string) => world.core.jobs.update(id, { 'job.endDate': '2026-12-31 00:00:00' })],
    ['its notice, which begins', (id: string) => world.core.jobs.delete(id)],
  ])('makes a payment that is due, although %s changes before it is made', async (_what, change) => {
    const { id } = await world.core.jobs.create(registrationId, {
      ...daily,
      'job.noticeNumber': '7',
      'job.noticeUnit': 'DAY',
    });
    world.advance(Date.UTC(2026, 10, 21, 6, 0, 10) - noon);
    expect(await change(id)).toMatchObject({ nextRunAt: '2026-11-21 06:00:00+0000' });
    expect(await world.core.jobs.runDue()).toMatchObject([{ firedAt: '2026-11-21 06:00:00+0000' }]);
    expect(await world.core.jobs.get(id)).toMatchObject({ nextRunAt: '2026-11-22 06:00:00+0000' });
  });

  test('goes on after a payment that was refused for another reason than its registration', async () => {
    const { jobs } = world.core;
    const { id } = await jobs.create(registrationId, { ...daily, testMode: 'EXTERNAL' });
    const tomorrow = noon + day;
    expect(await jobs.runDue(tomorrow)).toMatchObject([{ jobId: id, resultCode: '600.200.201' }]);
    expect(await jobs.get(id)).toMatchObject({ status: 'active', nextRunAt: '2026-11-22 06:00:00+0000' });
    const connected = await world.open({
      connectors: {
        default: { name: 'acquirer', process: () => Promise.resolve({ resultCode: '000.000.000' }) },
      },
    });
    expect(await connected.jobs.runDue(tomorrow + day)).toMatchObject([{ resultCode: '000.000.000' }]);
    await connected.close();
  });

  test('with job.endDate makes the payment of that moment too', async () => {
    await world.core.jobs.create(registrationId, {
      ...daily,
      'job.endDate': '2026-11-22 06:00:00',
      'job.misfirePolicy': 'all',
    });
    expect(await world.core.jobs.runDue(noon + 9 * day)).toHaveLength(2);
  });

  test('ends with its registration', async () => {
    const { id } = await world.core.jobs.create(registrationId, daily);
    await world.core.registrations.delete(registrationId);
    expect(await world.core.jobs.runDue(noon + 2 * day)).toEqual([
      {
        jobId: id,
        firedAt: '2026-11-22 06:00:00+0000',
        resultCode: '100.150.202',
        skipped: { fires: 1, from: '2026-11-21 06:00:00+0000', to: '2026-11-21 06:00:00+0000' },
      },
    ]);
    expect(await world.core.jobs.get(id)).toMatchObject({ status: 'ended' });
    expect((await world.core.jobs.create(registrationId, daily)).result.code).toBe('100.150.202');
  });

  const never = 'names no time after the start of the job';
  const tooLarge = 'is too large: its end is after the year 9999';
  const due = 'ends the job before its next payment, which is due at';
  const { 'job.expression': _expression, ...money } = daily;
  test.each<[Record<string, string>, string, string?]>([
    [{ ...daily, 'job.expression': '0 0 0 1 1 ? 2020' }, '100.250.110', `job.expression ${never}`],
    [{ ...daily, 'job.expression': '0 0 0 30 2 ?' }, '100.250.110', `job.expression ${never}`],
    [{ ...money, 'job.dayOfMonth': '30', 'job.month': '2' }, '100.250.110', `job.dayOfMonth ${never}`],
    [{ ...money, 'job.year': '2020' }, '100.250.110', `job.year ${never}`],
    [
      { ...money, 'job.year': '2028', 'job.startDate': '2029-01-01 00:00:00' },
      '100.250.110',
      `job.year ${never}`,
    ],
    [
      { ...daily, 'job.endDate': '2026-11-21 05:59:59' },
      '100.250.110',
      `job.endDate ${due} 2026-11-21 06:00:00+0000`,
    ],
    [
      {
        ...daily,
        'job.durationNumber': '1',
        'job.durationUnit': 'HOUR',
        'job.endDate': '2026-11-22 06:00:00',
      },
      '100.250.110',
      `job.durationNumber ${due} 2026-11-21 06:00:00+0000`,
    ],
    [
      { ...daily, 'job.durationNumber': '9999999999999999', 'job.durationUnit': 'YEAR' },
      '100.250.120',
      `job.durationNumber ${tooLarge}`,
    ],
    // Neither the database nor an answer can write such a moment.
    [
      { ...daily, 'job.durationNumber': '8000', 'job.durationUnit': 'YEAR' },
      '100.250.120',
      `job.durationNumber ${tooLarge}`,
    ],
    [
      { ...daily, 'job.noticeNumber': '8000', 'job.noticeUnit': 'YEAR' },
      '100.250.120',
      `job.noticeNumber ${tooLarge}`,
    ],
    [
      { ...daily, 'job.noticeNumber': '9999999999999999', 'job.noticeUnit': 'SECOND' },
      '100.250.120',
      `job.noticeNumber ${tooLarge}`,
    ],
    [
      {
        ...daily,
        'job.durationNumber': '8000',
        'job.durationUnit': 'YEAR',
        'job.noticeNumber': '1',
        'job.noticeUnit': 'DAY',
        'job.noticeCallable': 'DURATION_END',
      },
      '100.250.120',
      `job.durationNumber ${tooLarge}`,
    ],
    [{ 'job.expression': '0 0 6 * * ? *' }, '200.300.404', 'amount is required'],
    // Only a preauthorisation of zero says something.
    [{ ...daily, amount: '0.00' }, '100.550.300'],
    [{ ...daily, amount: '0', paymentType: 'CD' }, '100.550.300'],
  ])('that cannot run is refused: %j', async (parameters, code, message) => {
    const { result } = await world.core.jobs.create(registrationId, parameters);
    expect([result.code, result.parameterErrors?.[0]?.message]).toEqual([code, message]);
  });
});
