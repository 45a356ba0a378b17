import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Decided } from '../../src/items/decide.js';
import type { ListedItem } from '../../src/items/listed-item.js';
import {
  createInstallation,
  paymentId,
  settlementFile,
  type Cells,
  type Installation,
} from './installation.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';

/** The decisions of design 4.9, each sentence of it as a test of the command line. */

const asOf = '2026-11-20';

/** Payments 1 to `count` of 100.00 EUR, and a settled record of each with other cells where the test gives some. */
async function shop(records: readonly Cells[], payments = records.length): Promise<Installation> {
  const installation = await createInstallation();
  const numbers = Array.from({ length: payments }, (_, index) => index + 1);
  installation.write('payments.csv', paymentsFileOf(numbers.map((number) => paymentRow(number))));
  installation.write(
    'settlement.csv',
    settlementFile(
      ...records.map((cells, index) => ({
        UniqueID: paymentId(index + 1),
        SettlementTxId: `STL-${index + 1}`,
        ...cells,
      })),
    ),
  );
  expect((await installation.recon('payments', 'import', 'payments.csv')).code).toBe(0);
  expect((await run(installation, 'settlement.csv')).code).toBe(0);
  return installation;
}

const run = (installation: Installation, ...files: string[]) =>
  installation.recon('run', ...files.flatMap((file) => ['--file', file]), '--as-of', asOf, '--json');

const rerun = (installation: Installation, day = asOf) =>
  installation.recon('rerun', '--from', '2026-11-19', '--to', '2026-11-19', '--as-of', day, '--json');

async function items(installation: Installation, ...args: string[]): Promise<ListedItem[]> {
  const { code, document, stderr } = await installation.json<ListedItem[]>('items', '--as-of', asOf, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return document;
}

async function theItem(installation: Installation, ...args: string[]): Promise<ListedItem> {
  const [item, second] = await items(installation, ...args);
  expect(second).toBeUndefined();
  if (item === undefined) throw new Error('no item');
  return item;
}

async function decide(installation: Installation, ...args: string[]): Promise<Decided> {
  const by = args.includes('--by') ? [] : ['--by', 'anna'];
  const { code, document, stdout } = await installation.json<Decided>(
    'decide',
    ...args,
    ...by,
    '--as-of',
    asOf,
  );
  expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' });
  return document;
}

async function refused(installation: Installation, ...args: string[]): Promise<string> {
  const by = args.includes('--by') ? [] : ['--by', 'anna'];
  const { code, stderr } = await installation.recon('decide', ...args, ...by, '--as-of', asOf);
  expect(code).toBe(2);
  return stderr;
}

/** 90.00 EUR settled for a payment of 100.00 EUR. */
const short: Cells = { Amount: '90.00' };

describe('a decision', () => {
  test('to accept needs a reason, and takes the item from what is open at once', async () => {
    const shopOfOne = await shop([short]);
    const { discrepancyId, atRisk } = await theItem(shopOfOne);
    expect(atRisk).toBe('10.00');
    expect(await refused(shopOfOne, discrepancyId, '--accept')).toContain('accept needs a reason');
    const decided = await decide(shopOfOne, discrepancyId, '--accept', '--reason', 'a lost coin');
    expect(decided).toMatchObject({
      items: 1,
      author: 'anna',
      atRisk: [{ currency: 'EUR', amount: '10.00', missing: '10.00', surplus: '0.00' }],
    });
    expect(await items(shopOfOne)).toEqual([]);
    expect(await theItem(shopOfOne, '--status', 'ACCEPTED')).toMatchObject({
      status: 'ACCEPTED',
      decision: 'accept',
      reason: 'a lost coin',
      decidedBy: 'anna',
      decidedOn: asOf,
    });
  });

  test('survives re-runs and a delivery of the same facts', async () => {
    const shopOfOne = await shop([short]);
    const { discrepancyId } = await theItem(shopOfOne);
    await decide(shopOfOne, discrepancyId, '--accept', '--reason', 'agreed');
    await rerun(shopOfOne);
    writeFileSync(
      path.join(shopOfOne.directory, 'again.csv'),
      `${readFileSync(path.join(shopOfOne.directory, 'settlement.csv'), 'utf8')}\n`,
    );
    await run(shopOfOne, 'again.csv');
    expect((await theItem(shopOfOne, '--status', 'ACCEPTED')).discrepancyId).toBe(discrepancyId);
    const { document } = await shopOfOne.json<{ items: unknown }>('run', '--file', 'again.csv');
    expect(document.items).toMatchObject({ open: 0, new: 0, accepted: 1, lapsed: 0 });
  });

  test('to wait ends on its date', async () => {
    const shopOfOne = await shop([short]);
    const { discrepancyId } = await theItem(shopOfOne);
    expect(await refused(shopOfOne, discrepancyId, '--wait', asOf)).toContain('must end after 2026-11-20');
    await decide(shopOfOne, discrepancyId, '--wait', '2026-11-25', '--note', 'asked the acquirer');
    const onDay = async (day: string) => (await items(shopOfOne, '--as-of', day)).map(({ status }) => status);
    expect(await onDay('2026-11-24')).toEqual(['WAITING']);
    expect(await onDay('2026-11-25')).toEqual(['OPEN']);
    expect(await theItem(shopOfOne)).toMatchObject({ until: '2026-11-25', note: 'asked the acquirer' });
  });

  test('lapses when the facts change, and shows what had been decided', async () => {
    const shopOfOne = await shop([short]);
    const { discrepancyId } = await theItem(shopOfOne);
    await decide(shopOfOne, discrepancyId, '--accept', '--reason', 'agreed');
    const { database } = shopOfOne.database;
    await database.sql`update payments set amount_minor = 12000`;
    await rerun(shopOfOne);
    const [item] = await items(shopOfOne, '--code', 'AMOUNT_MISMATCH');
    expect(item).toMatchObject({
      discrepancyId,
      status: 'OPEN',
      lapsed: true,
      decision: 'accept',
      reason: 'agreed',
      decidedBy: 'anna',
    });
    const { document } = await shopOfOne.json<{ items: Record<string, number> }>(
      'rerun',
      '--from',
      '2026-11-19',
      '--to',
      '2026-11-19',
      '--as-of',
      asOf,
    );
    expect(document.items).toMatchObject({ lapsed: 1, new: 0, accepted: 0 });
    expect((await items(shopOfOne, '--status', 'LAPSED')).map((each) => each.discrepancyId)).toEqual([
      discrepancyId,
    ]);
  });

  test('is taken back by the next undo, one after the other', async () => {
    const shopOfOne = await shop([short]);
    const { discrepancyId } = await theItem(shopOfOne);
    await decide(shopOfOne, discrepancyId, '--wait', '2026-12-01');
    await decide(shopOfOne, discrepancyId, '--accept', '--reason', 'agreed');
    await decide(shopOfOne, discrepancyId, '--undo', '--reason', 'too early');
    expect(await theItem(shopOfOne)).toMatchObject({ status: 'WAITING', until: '2026-12-01' });
    await decide(shopOfOne, discrepancyId, '--undo');
    expect(await theItem(shopOfOne)).toMatchObject({ status: 'OPEN', decision: null });
    expect(await refused(shopOfOne, discrepancyId, '--undo')).toContain(
      'no decision that could be taken back',
    );
  });

  test('made twice is taken back once, and the undo says that the first one stands again', async () => {
    const shopOfOne = await shop([short]);
    const { discrepancyId } = await theItem(shopOfOne);
    await decide(shopOfOne, discrepancyId, '--accept', '--reason', 'agreed');
    await decide(shopOfOne, discrepancyId, '--accept', '--reason', 'agreed');
    const said = `${discrepancyId}  undo of accept; the accept by anna of ${asOf} stands again (AMOUNT_MISMATCH, 10.00 EUR missing)`;
    const undo = ['decide', discrepancyId, '--undo', '--as-of', asOf, '--by', 'ben'];
    expect((await shopOfOne.recon(...undo, '--dry-run')).stdout).toContain(said);
    expect((await shopOfOne.recon(...undo)).stdout).toContain(said);
    expect(await theItem(shopOfOne, '--status', 'ACCEPTED')).toMatchObject({ decidedBy: 'anna' });
    const { document } = await shopOfOne.json(...undo);
    expect(document).toMatchObject({ decisions: [{ takesBack: 'accept', standsAgain: null }] });
    expect(await theItem(shopOfOne)).toMatchObject({ status: 'OPEN', decision: null });
  });

  test('an item that is resolved and holds again is not new, and keeps its day', async () => {
    const shopOfOne = await shop([short]);
    const { discrepancyId } = await theItem(shopOfOne);
    const { sql } = shopOfOne.database.database;
    await sql`update payments set amount_minor = 9000`;
    const gone = JSON.parse((await rerun(shopOfOne)).stdout) as { items: unknown };
    expect(gone.items).toMatchObject({ open: 0, resolved: 1 });
    expect((await theItem(shopOfOne, '--status', 'RESOLVED')).discrepancyId).toBe(discrepancyId);
    expect(await refused(shopOfOne, discrepancyId, '--accept', '--reason', 'x')).toContain('is resolved');
    await sql`update payments set amount_minor = 10000`;
    const back = JSON.parse((await rerun(shopOfOne, '2026-11-22')).stdout) as { items: unknown };
    expect(back.items).toMatchObject({ open: 1, new: 0 });
    expect(await theItem(shopOfOne)).toMatchObject({ since: asOf, status: 'OPEN' });
  });

  test('assigns and notes beside what stands', async () => {
    const shopOfOne = await shop([short]);
    const { discrepancyId } = await theItem(shopOfOne);
    await decide(shopOfOne, discrepancyId, '--assign', 'bo');
    await decide(shopOfOne, discrepancyId, '--note', 'card 4111111111111111 =1+1');
    expect(await theItem(shopOfOne, '--assignee', 'bo')).toMatchObject({
      status: 'OPEN',
      assignee: 'bo',
      note: 'card 411111******1111 =1+1',
    });
    await decide(shopOfOne, discrepancyId, '--assign', '');
    expect((await theItem(shopOfOne, '--assignee', '')).assignee).toBeNull();
    for (const left of [{ assignee: 'bo' }, { assignee: 'bo', note: null }, { assignee: null, note: null }]) {
      await decide(shopOfOne, discrepancyId, '--undo');
      expect(await theItem(shopOfOne)).toMatchObject(left);
    }
  });

  test('is made by --by, else RECON_USER', async () => {
    const shopOfOne = await shop([short]);
    const { discrepancyId } = await theItem(shopOfOne);
    const { recon } = await import('./recon.js');
    const environment = { ...shopOfOne.environment, RECON_USER: 'carla' };
    const given = { cwd: shopOfOne.directory, environment };
    expect((await recon(['decide', discrepancyId, '--assign', 'bo'], given)).stdout).toContain('by carla.');
    const bo = await recon(['decide', discrepancyId, '--assign', 'bo', '--by', 'bo'], given);
    expect(bo.stdout).toContain('by bo.');
    const card = await recon(['decide', discrepancyId, '--note', 'x', '--by', 'bo 4111111111111111'], given);
    expect(card.stdout).toContain('by bo 411111******1111.');
    const blank = { ...given, environment: { ...environment, RECON_USER: '  ' } };
    const account = await recon(['decide', discrepancyId, '--assign', 'al'], blank);
    expect(account.stdout).toContain(`by ${userInfo().username}.`);
  });
});

describe('four eyes', () => {
  // What is at risk in the smaller one of the items.
  const config = 'decisions: { fourEyesAbove: { EUR: 5.00 } }\nlogLevel: silent\n';

  test('an accept above the amount is open and pending until another person approves it', async () => {
    const shopOfTwo = await shop([short, { Amount: '95.00' }]);
    shopOfTwo.write('recon.config.yaml', config);
    const [large, small] = await items(shopOfTwo);
    const decided = await decide(
      shopOfTwo,
      large?.discrepancyId ?? '',
      small?.discrepancyId ?? '',
      '--accept',
      '--reason',
      'agreed',
    );
    expect(decided.decisions.map(({ pending }) => pending)).toEqual([true, false]);
    const waiting = await theItem(shopOfTwo);
    expect(waiting).toMatchObject({ status: 'OPEN', pending: true, decision: 'accept' });
    const sheet = (await shopOfTwo.recon('items', '--csv', '--as-of', asOf)).stdout;
    expect(sheet).toContain('"accept (pending)"');
    expect(await refused(shopOfTwo, waiting.discrepancyId, '--approve')).toContain('another person');
    for (const sameName of ['Anna', ' ANNA ', 'Ａnna']) {
      expect(await refused(shopOfTwo, waiting.discrepancyId, '--approve', '--by', sameName)).toContain(
        'another person',
      );
    }
    await decide(shopOfTwo, waiting.discrepancyId, '--approve', '--by', 'bo');
    expect(await items(shopOfTwo)).toEqual([]);
    expect(await refused(shopOfTwo, waiting.discrepancyId, '--approve', '--by', 'bo')).toContain(
      'no accept that waits',
    );
  });
});

test('money that we have and should not have needs a second person too', async () => {
  const shopOfOne = await shop([{ Amount: '110.00' }]);
  shopOfOne.write('recon.config.yaml', 'decisions: { fourEyesAbove: { EUR: 5.00 } }\nlogLevel: silent\n');
  const { discrepancyId, atRisk } = await theItem(shopOfOne);
  expect(atRisk).toBe('-10.00');
  const { decisions } = await decide(shopOfOne, discrepancyId, '--accept', '--reason', 'agreed');
  expect(decisions).toMatchObject([{ pending: true }]);
});

test('a decision waits for another that is being made, and is about what that one left', async () => {
  const shopOfOne = await shop([short]);
  const { discrepancyId } = await theItem(shopOfOne);
  const { database } = shopOfOne.database;
  const other = database.openSession(() => undefined);
  const { undoing } = await other.begin(async (tx) => {
    await tx`lock table decisions in share row exclusive mode`;
    const undone = decide(shopOfOne, discrepancyId, '--undo');
    const waiting = () => database.sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'lock table decisions%'`;
    await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBe(1);
    await tx`insert into decisions (item, kind, reason, basis, author, decided_on, decided_at, origin)
      values (${discrepancyId}, 'accept', 'agreed', '', 'bo', ${asOf}, now(), 'command')`;
    // Not awaited before the other decision is made.
    return { undoing: undone };
  });
  await other.end();
  expect((await undoing).decisions).toMatchObject([{ takesBack: 'accept' }]);
});

describe('many at once', () => {
  const brands = Array.from({ length: 24 }, (_, index): Cells => ({
    Brand: index < 21 ? 'VISAX' : 'VISAY',
  }));

  test('by a filter: the count and the money first, in a dry run too', async () => {
    const manyBrands = await shop([...brands.slice(0, 3), short]);
    const dry = await decide(
      manyBrands,
      '--code',
      'BRAND_MISMATCH',
      '--accept',
      '--reason',
      'alias',
      '--dry-run',
    );
    expect(dry).toMatchObject({ dryRun: true, items: 3 });
    expect(await items(manyBrands)).toHaveLength(4);
    expect(
      await decide(manyBrands, '--code', 'BRAND_MISMATCH', '--accept', '--reason', 'alias'),
    ).toMatchObject({
      dryRun: false,
      items: 3,
    });
    expect((await items(manyBrands)).map(({ code }) => code)).toEqual(['AMOUNT_MISMATCH']);
    const again = await manyBrands.recon(
      'decide',
      '--code',
      'BRAND_MISMATCH',
      '--accept',
      '--reason',
      'alias',
    );
    expect(again.stdout).toContain('No item fits the filter.');
  });

  test('says what is missing and what is surplus, not one less the other', async () => {
    const both = await shop([short, { Amount: '104.00' }, { Amount: '70.00' }]);
    const { code, stdout } = await both.recon(
      'decide',
      ...['--code', 'AMOUNT_MISMATCH', '--accept', '--reason', 'agreed', '--by', 'anna', '--as-of', asOf],
    );
    expect({ code, first: stdout.split('\n')[0] }).toEqual({
      code: 0,
      first: '3 items, 40.00 EUR missing, 4.00 EUR surplus; by anna.',
    });
  });

  test('by a pattern: more than 20 of one code, account and pair of values', async () => {
    const manyBrands = await shop(brands);
    const { document: patterns } = await manyBrands.json<{ patternId: string; count: number }[]>(
      'items',
      '--patterns',
      '--as-of',
      asOf,
    );
    expect(patterns).toEqual([
      {
        patternId: expect.stringMatching(/^p[0-9a-f]{12}$/) as string,
        code: 'BRAND_MISMATCH',
        merchantAccountId: expect.any(String) as string,
        expected: 'VISA',
        actual: 'VISAX',
        count: 21,
        money: [{ currency: 'EUR', amount: '2100.00', atRisk: '0.00', missing: '0.00', surplus: '0.00' }],
      },
    ]);
    const pattern = patterns[0]?.patternId ?? '';
    expect(await items(manyBrands, '--pattern', pattern)).toHaveLength(21);
    await decide(manyBrands, '--pattern', pattern, '--accept', '--reason', 'new brand name');
    expect((await items(manyBrands)).map((item) => item.actual)).toEqual(['VISAY', 'VISAY', 'VISAY']);
  });

  test('20 of one kind are no pattern', async () => {
    const manyBrands = await shop(brands.slice(0, 20));
    expect((await manyBrands.json<unknown[]>('items', '--patterns')).document).toEqual([]);
  });

  test('all or nothing: one that cannot be decided stops all', async () => {
    const shopOfTwo = await shop([short, { Brand: 'OTHER' }]);
    const [first, second] = await items(shopOfTwo);
    const message = await refused(shopOfTwo, first?.discrepancyId ?? '', 'ffffffffffff', '--assign', 'bo');
    expect(message).toContain('No item has the DiscrepancyId ffffffffffff');
    const both = [first?.discrepancyId ?? '', second?.discrepancyId ?? ''];
    expect(await refused(shopOfTwo, ...both, '--supersede')).toContain('decides a RECORD_REDELIVERED');
    expect((await items(shopOfTwo)).every(({ assignee }) => assignee === null)).toBe(true);
  });
});

describe('a record', () => {
  const unknown: Cells = { UniqueID: paymentId(99) };

  test('is linked by FILE:LINE, by an id or by the beginning of one, and names the day to run again', async () => {
    const shopOfOne = await shop([unknown]);
    const { discrepancyId } = await theItem(shopOfOne);
    expect(await refused(shopOfOne, 'settlement.csv:2', '--link', paymentId(77))).toContain(
      'Nothing was decided: no payment',
    );
    const decided = await decide(shopOfOne, 'settlement.csv:2', '--link', paymentId(1));
    expect(decided.rerun).toEqual({ from: '2026-11-19', to: '2026-11-19' });
    expect(await theItem(shopOfOne)).toMatchObject({
      discrepancyId,
      status: 'OPEN',
      decision: 'link',
      linkTo: paymentId(1),
    });
    await decide(shopOfOne, discrepancyId.slice(0, 10), '--undo');
    expect((await theItem(shopOfOne)).decision).toBeNull();
  });

  test('without a finding is unlinked by FILE:LINE, and that is taken back', async () => {
    const shopOfOne = await shop([{}]);
    expect(await items(shopOfOne)).toEqual([]);
    expect(await refused(shopOfOne, 'settlement.csv:2', '--accept', '--reason', 'x')).toContain(
      'has nothing open',
    );
    expect(await refused(shopOfOne, 'settlement.csv:2', '--link', paymentId(1))).toContain(
      '--unlink it first',
    );
    const decided = await decide(shopOfOne, 'settlement.csv:2', '--unlink', '--reason', 'not ours');
    expect(decided.decisions).toMatchObject([{ item: 'settlement.csv:2', kind: 'unlink' }]);
    await decide(shopOfOne, 'settlement.csv:2', '--undo');
    expect(await refused(shopOfOne, 'settlement.csv:2', '--undo')).toContain('no decision');
  });

  test.each([
    ['settlement.csv:1', 'Line 1 of settlement.csv is its header; the first row begins at line 2.'],
    ['settlement.csv:99', 'settlement.csv has no row at line 99: its last row begins at line 2.'],
    ['settlement.csv:2147483648', 'has no row at line 2147483648: its last row begins at line 2.'],
    ['other.csv:2', 'No stored record is known as "other.csv:2", and no file as "other.csv".'],
    // `recon explain` takes the number of a file, decisions do not.
    ['1:2', 'No stored record is known as "1:2", and no file as "1".'],
    ['hello', 'neither a DiscrepancyId'],
  ])('that does not exist is named: %s', async (named, sentence) => {
    const shopOfOne = await shop([unknown]);
    expect(await refused(shopOfOne, named, '--unlink')).toContain(sentence);
  });

  test('that is not stored is named with the reason: its row or its file was rejected', async () => {
    const shopOfOne = await shop([unknown]);
    await run(shopOfOne, shopOfOne.write('more.csv', settlementFile(unknown, { Amount: '1,5' })));
    expect(await refused(shopOfOne, 'more.csv:3', '--unlink')).toMatch(
      /Line 3 of more\.csv was rejected, so there is no record of it: Amount must be .*corrections\.csv/,
    );
    const sheet = shopOfOne.write('sheet.csv', 'Item;Amount\nA;1.00\n');
    await run(shopOfOne, sheet);
    expect(await refused(shopOfOne, 'sheet.csv:2', '--unlink')).toContain(
      'sheet.csv was rejected as a whole, so no record of it is stored: ',
    );
  });

  test('has no chargeback id while it waits for a decision again, in any list', async () => {
    const chargeback = (amount: string): Cells => ({
      ReconciliationType: 'CHARGEBACK',
      Cashflow: 'NEG',
      SettlementTxId: 'CB-1',
      Amount: amount,
      SettlementAmount: amount,
    });
    const installation = await shop([chargeback('50.00')]);
    const again = { UniqueID: paymentId(1), ...chargeback('40.00') };
    await run(installation, installation.write('again.csv', settlementFile(again)));
    const idOf = async () => {
      const outcome = JSON.parse((await rerun(installation)).stdout) as {
        reports: { discrepancies: string };
      };
      const report = readFileSync(outcome.reports.discrepancies, 'utf8');
      const [names = '', ...rows] = report.split('\n').map((line) => line.split(';'));
      const place = names.indexOf('ChargebackId');
      const listed = await installation.json<{ code: string; chargebackId: string | null }[]>(
        'discrepancies',
        '--all',
      );
      const found = listed.document.find(({ code }) => code === 'RECORD_REDELIVERED');
      return [rows.find((cells) => cells.includes('"RECORD_REDELIVERED"'))?.[place], found?.chargebackId];
    };
    await decide(installation, 'again.csv:2', '--keep-both');
    await rerun(installation);
    await decide(installation, 'again.csv:2', '--undo');
    expect(await idOf()).toEqual(['', null]);
  });
});

describe('suggested links', () => {
  const late: Cells = { UniqueID: paymentId(99), SettlementDate: '2026-11-19' };
  const dueOn = ['--as-of', '2026-11-24'];

  async function world(records: readonly Cells[], payments: number): Promise<ListedItem[]> {
    const installation = await shop(records, payments);
    await installation.recon('run', '--file', 'settlement.csv', ...dueOn, '--json');
    return items(installation, ...dueOn);
  }

  test.each([
    ['on the next day', '2026-11-19'],
    ['ten days later', '2026-11-28'],
  ])('join a record without payment and a payment without settlement %s', async (_, SettlementDate) => {
    const both = await world([{ ...late, SettlementDate }], 1);
    expect(both.map(({ code }) => code).sort()).toEqual(['MISSING_SETTLEMENT', 'NOT_MATCHED']);
    const [first, second] = both;
    expect(first?.suggestedLink).toBe(second?.discrepancyId);
    expect(second?.suggestedLink).toBe(first?.discrepancyId);
  });

  test.each([
    ['two payments', [late], 2],
    ['two records', [late, { ...late, SettlementTxId: 'STL-9' }], 1],
    ['another amount', [{ ...late, Amount: '100.01' }], 1],
    ['a refund', [{ ...late, PaymentType: 'REFUND', Cashflow: 'NEG' }], 1],
    ['eleven days between them', [{ ...late, SettlementDate: '2026-11-29' }], 1],
  ])('are not made of %s', async (_what, records, payments) => {
    expect((await world(records, payments)).map(({ suggestedLink }) => suggestedLink)).toEqual(
      Array<null>(records.length + payments).fill(null),
    );
  });
});

describe('arguments', () => {
  test.each([
    [[], 'What is decided is missing'],
    [['--accept', '--reason', 'x'], 'Name the items to decide'],
    [['abcdef', '--accept', '--undo'], '--accept and --undo exclude each other'],
    [['abcdef', '--code', 'NOT_MATCHED', '--undo'], 'not both'],
    [['abcdef', '--file', 'sheet.csv'], '--file takes items and decisions from the sheet'],
    [['abcdef', '--wait', '25.11.2026'], '"25.11.2026" is not one'],
    [['abcdef', '--wait', '2027-02-29'], '"2027-02-29" is not one'],
  ])('%j', async (args, sentence) => {
    const installation = await createInstallation();
    expect(await refused(installation, ...args)).toContain(sentence);
  });
});
