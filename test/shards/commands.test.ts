import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { fileOfRows, paymentId, settlementRow, type Cells } from '../support/settlement-rows.js';
import { installationOf, type StoryInstallation } from './run-stories.js';
import { startThreeServers, type ThreeServers } from './three-servers.js';

/** Commands other than runs that say and do the same on one server and on three. */
let three: ThreeServers;
let directory: string;
let folders = 0;

beforeAll(async () => {
  three = await startThreeServers();
  directory = mkdtempSync(path.join(tmpdir(), 'recon-shard-commands-'));
});

afterAll(async () => {
  await three.stop();
  rmSync(directory, { recursive: true, force: true });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Does the same on one server and on three, and compares what both say. */
async function onBoth<T>(
  story: string,
  work: (installation: StoryInstallation, folder: string) => Promise<T>,
): Promise<{ readonly one: T; readonly several: T }> {
  const on = (url: string) => {
    const folder = path.join(directory, `data-${(folders += 1)}`);
    return work(installationOf(story, url, folder), folder);
  };
  const single = await createTestDatabase();
  const one = await on(single.url);
  await single.drop();
  const { home } = await three.createDivided();
  return { one, several: await on(home) };
}

interface Chargeback {
  readonly id: string;
  readonly status: string;
  readonly paymentId: string;
}

test('chargebacks are listed, booked and reversed', async () => {
  const { one, several } = await onBoth('chargebacks', async (installation) => {
    const booked: string[] = [];
    // Ids and moments of bookings are new each time.
    const withoutIds = (said: { readonly code: number; readonly document: unknown }) =>
      JSON.stringify([said.code, said.document])
        .replaceAll(/"bookedAt":"[^"]*"|"reversedAt":"[^"]*"/g, '')
        .replaceAll(/[0-9a-f]{32}/g, (id) => (booked.includes(id) ? `booked-${booked.indexOf(id)}` : id));
    const said: string[] = [];
    const say = async (...args: string[]) => {
      const answer = await installation.command('chargebacks', ...args, '--by', 'Kim');
      const { id } = answer.document as { readonly id?: string };
      if (id !== undefined) booked.push(id);
      said.push(withoutIds(answer));
      return answer;
    };
    const list = async () => {
      const { document } = await installation.command('chargebacks', 'list');
      return document as unknown as Chargeback[];
    };
    await installation.importPayments();
    await installation.run();
    const [first] = await list();
    const open = (await list()).find(({ status }) => status === 'open');
    await say('reverse', open?.id ?? '');
    await say('book', open?.paymentId ?? '', '--amount', '1.00', '--reason-code', '000.100.203');
    await say('book', first?.paymentId ?? '', '--amount', '999999.00');
    await say('book', 'f'.repeat(32));
    await say('reverse', booked.at(-1) ?? '', '--amount', '0.40');
    said.push(withoutIds({ code: 0, document: await list() }));
    await installation.rerun();
    const events = await installation.command('audit', 'verify');
    return { said, booked: booked.length, verified: events.code, reports: installation.reports() };
  });
  expect(several).toEqual(one);
  expect(one.booked).toBe(3);
});

test('a run finds the chargebacks that were booked or reversed by hand', async () => {
  const { one, several } = await onBoth('chargebacks', async (installation, folder) => {
    await installation.importPayments();
    const booked: string[] = [];
    for (const number of [1, 2, 4]) {
      const { document } = await installation.command('chargebacks', 'book', paymentId(number));
      booked.push((document as { readonly id?: string }).id ?? '');
    }
    await installation.command('chargebacks', 'reverse', booked[2] ?? '');
    await installation.run();
    const ofSecond = await installation.command('chargebacks', 'list', '--payment', paymentId(2));
    for (const { id } of ofSecond.document as unknown as readonly Chargeback[]) {
      await installation.command('chargebacks', 'reverse', id);
    }
    const file = path.join(folder, 'reversal.csv');
    const reversal = { ReconciliationType: 'CHARGEBACK REVERSAL', UniqueID: paymentId(2) };
    writeFileSync(file, fileOfRows([settlementRow(reversal)]));
    await installation.command('run', '--as-of', '2026-11-20', '--file', file);
    const { document } = await installation.command('discrepancies');
    const open = document as unknown as readonly { readonly code: string; readonly message: string }[];
    const withoutIds = (text: string) =>
      booked.reduce((rest, id, n) => rest.replaceAll(id, `booked ${n}`), text);
    return open.map(({ code, message }) => [code, withoutIds(message)]);
  });
  expect(several).toEqual(one);
  const about = (code: string) => one.filter(([found]) => found === code).map(([, message]) => message);
  expect(about('CHARGEBACK_BOOKED_TWICE')).toEqual([
    expect.stringContaining(`Payment ${paymentId(1)} was charged back by hand (booked 0, 100.00 EUR)`),
  ]);
  expect(about('REVERSAL_WITHOUT_CHARGEBACK')).toEqual(
    [3, 2].map((number) => expect.stringContaining(paymentId(number)) as string),
  );
});

/** Not compared with one server: each of the runs asks a shard several hundred times. */
test('a run looks again at an earlier record after a payment was stored late, and the next run does not', async () => {
  const { home } = await three.createDivided();
  const folder = path.join(directory, `data-${(folders += 1)}`);
  const { command } = installationOf('demo', home, folder);
  mkdirSync(folder, { recursive: true });
  const store = async (name: string, payment: Cells) => {
    writeFileSync(path.join(folder, name), paymentsFileOf([payment]));
    expect((await command('payments', 'import', path.join(folder, name))).code).toBe(0);
  };
  const matched: unknown[] = [];
  const night = async (day: string, cells: Cells) => {
    const file = path.join(folder, `${day}.csv`);
    writeFileSync(file, fileOfRows([settlementRow({ ...cells, SettlementTxId: day, SettlementDate: day })]));
    const { document } = await command('run', '--as-of', day, '--file', file);
    matched.push((document as { readonly matching?: { readonly MATCHED: number } }).matching?.MATCHED);
  };
  const shared = { ShortId: '1000.1', Timestamp: '2026-11-17 10:00:00+0000' };
  await store('first.csv', paymentRow(1, shared));
  await night('2026-11-18', { ShortId: '1000.1' });
  await store('late.csv', paymentRow(2, { ...shared, PaymentType: 'RF' }));
  await night('2026-11-19', {});
  await night('2026-11-20', {});
  expect(matched).toEqual([1, 1, 0]);
});

test('a corrected row becomes a record, and a link takes effect, in the next run', async () => {
  const { one, several } = await onBoth('demo', async (installation, folder) => {
    mkdirSync(folder, { recursive: true });
    const written = (name: string, content: string) => {
      writeFileSync(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const paid = [1, 2, 3].map((number) => paymentRow(number, { ShortId: '1000.1' }));
    await installation.command('payments', 'import', written('paid.csv', paymentsFileOf(paid)));
    const delivered = written(
      'north.csv',
      fileOfRows([
        settlementRow({ UniqueID: paymentId(1) }),
        settlementRow({ UniqueID: paymentId(2), Amount: '12,50' }),
        settlementRow({ ShortId: '1000.1' }),
      ]),
    );
    const said: unknown[] = [];
    const say = async (...args: string[]) => {
      const { code, document } = await installation.command(...args, '--as-of', '2026-11-20');
      said.push([args[0], args[1], code, document]);
    };
    await say('run', '--file', delivered);
    const [, header = '', row = ''] =
      /^\uFEFF?([^\r\n]*)\r?\n([^\r\n]*)/.exec(installation.reports()['run-000001/corrections.csv'] ?? '') ??
      [];
    const sheet = written('corrected.csv', `${header}\n${row.replaceAll('12,50', '12.50')}\n`);
    await say('decide', '--file', sheet);
    await say('decide', 'north.csv:4', '--link', paymentId(3), '--reason', 'named on the phone');
    await say('run', '--file', delivered);
    await say('explain', 'north.csv:3');
    await say('items');
    return { said, reports: installation.reports() };
  });
  expect(several).toEqual(one);
  expect(one.said).toContainEqual(['run', '--file', 0, expect.objectContaining({ runId: 2 })]);
  expect(one.reports['run-000002/discrepancies.csv']).toMatch(/AMOUNT_MISMATCH.*12\.50/);
});

test('a purge removes what is old and keeps records, and the next run continues', async () => {
  const { one, several } = await onBoth('demo', async (installation, folder) => {
    await installation.importPayments();
    await installation.run();
    const configuration = path.join(folder, 'purge.yaml');
    const days = ['archiveDays', 'reportsDays', 'rejectedRowsDays'];
    writeFileSync(
      configuration,
      `retention: { recordsMonths: 12, ${days.map((name) => `${name}: 400`).join(', ')} }\n`,
    );
    const purge = async (...args: string[]) => {
      const { code, document } = await installation.command('purge', '--config', configuration, ...args);
      const { kinds } = document as unknown as { readonly kinds: readonly { readonly kind: string }[] };
      return {
        code,
        records: kinds.find(({ kind }) => kind === 'records'),
        others: kinds.filter(({ kind }) => kind !== 'records'),
      };
    };
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 500 * 86_400_000 });
    const planned = await purge('--dry-run');
    const done = await purge();
    const again = await purge();
    vi.useRealTimers();
    const next = await installation.rerun();
    return { planned, done, again, next: next.code, reports: installation.reports() };
  });
  const others = ({ planned, done, again, next, reports }: typeof one) => ({
    planned: planned.others,
    done: done.others,
    again: again.others,
    next,
    reports,
  });
  expect(others(several)).toEqual(others(one));
  expect(JSON.stringify(one.done.others)).toMatch(/"removed":\{"count":[1-9]/);
  expect(JSON.stringify(several.done.records)).toContain('"reason":"on-shards"');
});
