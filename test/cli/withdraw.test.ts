import { describe, expect, test } from 'vitest';
import type { Sql } from '../../src/db/client.js';
import type { RunOutcome } from '../../src/outcome.js';
import { announcedTotals, inboxConfig, statusesOf } from './inbox.js';
import {
  createInstallation,
  paymentId,
  paymentsFile,
  settlementFile,
  type Cells,
  type Installation,
} from './installation.js';

/** What a run leaves: results, links, bookings and findings. The run that came to a result is history. */
async function state(sql: Sql): Promise<Record<string, unknown>> {
  const rows = async (query: PromiseLike<readonly object[]>) =>
    (await query).map((row) =>
      JSON.stringify(row, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    );
  return {
    matches: await rows(
      sql`select file_id, line, status, matched_by, payment_key from record_matches order by 1, 2`,
    ),
    candidates: await rows(sql`select * from match_candidates order by 1, 2, 3`),
    links: await rows(sql`select * from chargeback_links order by 1, 2`),
    payments: await rows(sql`select * from payments order by key`),
    findings: await rows(sql`select * from discrepancies where resolved_run is null order by id`),
    uncounted: await rows(sql`select file_id, line, reason from uncounted_records order by 1, 2`),
  };
}

const row = (number: number, cells: Cells = {}): Cells => ({
  UniqueID: paymentId(number),
  SettlementTxId: `STL-${number}`,
  ...cells,
});
const chargeback: Cells = {
  ReconciliationType: 'CHARGEBACK',
  Cashflow: 'NEG',
  ReasonCode: '000.100.220',
  SettlementTxId: 'CB-1',
};
const reversal: Cells = { ReconciliationType: 'CHARGEBACK REVERSAL', SettlementTxId: 'CR-1' };

const asOf = ['--as-of', '2026-11-25'] as const;

async function worldWithPayments(): Promise<Installation> {
  const world = await createInstallation();
  await world.recon('payments', 'import', world.write('payments.csv', paymentsFile(1, 2, 3, 4)));
  return world;
}

async function take(world: Installation, name: string, ...rows: readonly (number | Cells)[]) {
  return world.json<{ matching: Record<string, number>; discrepancies: { byCode: Record<string, number> } }>(
    'run',
    '--file',
    world.write(name, settlementFile(...rows)),
    ...asOf,
  );
}

const rerun = ['rerun', '--from', '2026-11-01', '--to', '2026-11-30', ...asOf] as const;

describe('recon files withdraw', () => {
  test('is explained before a run acts on it, and takes precedence over a link that waits too', async () => {
    const world = await worldWithPayments();
    await take(world, 'a.csv', row(1));
    const explained = async () => (await world.recon('explain', 'a.csv:2')).stdout;
    const decide = async (kind: 'withdraw' | 'restore') =>
      world.recon('files', kind, 'a.csv', '--reason', 'test data', '--by', 'anna');
    const waits = (done: string) =>
      expect.stringMatching(
        new RegExp(
          `^Its file was ${done} by anna on [-\\d]{10} \\(test data\\); this takes effect with`,
          'm',
        ),
      ) as string;
    expect(await explained()).not.toContain('Its file was');
    await decide('withdraw');
    await world.recon('decide', 'a.csv:2', '--unlink');
    await world.recon('decide', 'a.csv:2', '--link', paymentId(2));
    expect(await explained()).toEqual(waits('withdrawn'));
    expect(await explained()).not.toContain('makes it MATCHED');
    await decide('restore');
    expect(await explained()).not.toContain('Its file was');
    expect(await explained()).toContain('makes it MATCHED by MANUAL');
    await decide('withdraw');
    await world.recon(...rerun);
    expect(await explained()).toMatch(/^It has not counted since run 2: its file was withdrawn by anna/m);
    expect(await explained()).not.toContain('Its file was');
    await decide('restore');
    expect(await explained()).toEqual(waits('restored'));
    await world.recon(...rerun);
    expect(await explained()).not.toMatch(/withdrawn|restored/);
  });

  test('of a record that somebody links is named in the answer, because the link has no effect meanwhile', async () => {
    const world = await worldWithPayments();
    await take(world, 'a.csv', row(98), row(99));
    await take(world, 'b.csv', row(99), row(1));
    const link = async (...args: string[]) =>
      world.recon('decide', ...args, '--link', paymentId(2), '--by', 'anna', ...asOf);
    await world.recon('files', 'withdraw', 'a.csv', '--reason', 'test data');
    const linked = await link('a.csv:2');
    expect(linked).toMatchObject({ code: 0, stderr: '' });
    expect(linked.stdout).toContain(
      '\na.csv is withdrawn: the decision changes nothing until the file is restored (recon files restore).\n',
    );
    expect(linked.stdout).not.toContain('Matching changes');
    // The other file has this record too, so it still counts.
    const other = await link('a.csv:3');
    expect(other.stdout).toContain('Matching changes with the next run');
    expect(other.stdout).not.toContain('withdrawn');
    expect((await link('a.csv:2', 'a.csv:3')).stdout).toMatch(
      /^Matching changes with .+\nOf the 2 decisions, 1 changes nothing until the withdrawn file a\.csv is restored .+\.$/m,
    );
    // A note does not change how a record is matched.
    const noted = await world.recon('decide', 'a.csv:2', '--note', 'asked', '--by', 'anna', ...asOf);
    expect(noted.stdout).not.toContain('withdrawn');
    await world.recon('files', 'restore', 'a.csv', '--reason', 'it was right');
    expect((await link('a.csv:2')).stdout).toContain('Matching changes with the next run');
  });

  test('takes the records of a file out of everything, and restore brings back exactly what was', async () => {
    const world = await worldWithPayments();
    const { sql } = world.database.database;
    await take(
      world,
      'a.csv',
      1,
      row(2, { Amount: '90.00', SettlementAmount: '90.00' }),
      row(3, { UniqueID: paymentId(99) }),
      row(1, chargeback),
    );
    await take(
      world,
      'b.csv',
      row(2, { SettlementTxId: 'STL-22', Amount: '10.00', SettlementAmount: '10.00' }),
      row(1, { ...reversal, SettlementDate: '2026-11-22' }),
    );
    const before = await state(sql);

    const withdrawn = await world.json('files', 'withdraw', 'a.csv', '--reason', 'test data', '--by', 'anna');
    expect(withdrawn).toMatchObject({
      code: 0,
      document: { name: 'a.csv', status: 'withdrawn', by: 'anna' },
    });
    expect(await state(sql)).toEqual(before);
    // The same bytes again: a run that takes nothing in.
    const again = ['run', '--file', 'b.csv', ...asOf] as const;
    const taken = await world.json<Record<string, unknown>>(...again);
    expect(taken.document).toMatchObject({
      withdrawals: [{ status: 'withdrawn', name: 'a.csv', records: 4, by: 'anna', reason: 'test data' }],
    });
    const open = await sql<{ code: string; payment: string | null }[]>`
      select d.code, right(p.id, 1) as payment from discrepancies d left join payments p on p.key = d.payment_key
      where resolved_run is null order by 1, 2`;
    expect(open).toEqual([
      { code: 'AMOUNT_MISMATCH', payment: '2' },
      { code: 'MISSING_SETTLEMENT', payment: '1' },
      { code: 'MISSING_SETTLEMENT', payment: '3' },
      { code: 'MISSING_SETTLEMENT', payment: '4' },
      { code: 'REVERSAL_WITHOUT_CHARGEBACK', payment: '1' },
    ]);
    const booked =
      await sql`select payment_type, amount_minor from payments where payment_type in ('CB', 'CR') order by 1`;
    expect(booked).toEqual([
      { payment_type: 'CB', amount_minor: 0n },
      { payment_type: 'CR', amount_minor: 10000n },
    ]);

    await world.recon('files', 'restore', 'a.csv', '--reason', 'it was right');
    await world.recon(...again);
    expect(await state(sql)).toEqual(before);

    // The same by re-runs of a day that only one of the files has.
    const day = ['rerun', '--from', '2026-11-19', '--to', '2026-11-19', ...asOf] as const;
    await world.recon('files', 'withdraw', 'a.csv', '--reason', 'test data');
    await world.recon(...day);
    expect(await state(sql)).not.toEqual(before);
    await world.recon('files', 'restore', 'a.csv', '--reason', 'it was right');
    await world.recon(...day);
    expect(await state(sql)).toEqual(before);
  });

  test('a record that another file brought too still counts', async () => {
    const world = await worldWithPayments();
    const { sql } = world.database.database;
    await take(world, 'a.csv', 1, 2);
    await take(world, 'b.csv', 2, 3);
    const counted = async () => {
      const rows = await sql<{ file_id: number; line: number }[]>`
        select file_id, line from record_matches where payment_key is not null order by 1, 2`;
      return rows.map(({ file_id: file, line }) => `${file}:${line}`).join(' ');
    };
    await world.recon('files', 'withdraw', 'a.csv', '--reason', 'x');
    await world.recon(...rerun);
    expect(await counted()).toBe('1:3 2:3');
    // A file that arrives later brings the other one again.
    await take(world, 'c.csv', 1, 4);
    expect(await counted()).toBe('1:2 1:3 2:3 3:3');
    await world.recon('files', 'withdraw', 'b.csv', '--reason', 'x');
    await world.recon(...rerun);
    expect(await counted()).toBe('1:2 3:3');
    await world.recon('files', 'restore', 'a.csv', '--reason', 'x');
    await world.recon(...rerun);
    expect(await counted()).toBe('1:2 1:3 3:3');
  });

  test('the records that a withdrawal or restoration changes are counted, also those that came with a file before', async () => {
    const world = await worldWithPayments();
    const twin = row(1, { SettlementTxId: 'TWIN' });
    await take(world, 'a.csv', twin, twin);
    await take(world, 'b.csv', twin, twin, twin, row(2));
    const changed = async (decision: 'withdraw' | 'restore', file: string) => {
      await world.recon('files', decision, file, '--reason', 'x');
      const { document } = await world.json<RunOutcome>(...rerun);
      return (document.withdrawals ?? [])
        .map(({ name, status, records }) => `${name} ${status} ${records}`)
        .join();
    };
    expect(await changed('withdraw', 'a.csv')).toBe('a.csv withdrawn 0');
    expect(await changed('withdraw', 'b.csv')).toBe('b.csv withdrawn 4');
    expect(await changed('restore', 'b.csv')).toBe('b.csv restored 4');
    expect(await changed('restore', 'a.csv')).toBe('a.csv restored 0');
    await world.recon('files', 'withdraw', 'a.csv', '--reason', 'x');
    expect(await changed('withdraw', 'b.csv')).toBe('a.csv withdrawn 2,b.csv withdrawn 2');
  });

  test('a withdrawn file is listed as withdrawn and is in no report of its days', async () => {
    const world = await worldWithPayments();
    await take(world, 'a.csv', 1);
    await take(world, 'b.csv', 2);
    await world.recon('files', 'withdraw', 'a.csv', '--reason', 'test data', '--by', 'anna');
    const { document: listed } = await world.json<object[]>('files', '--status', 'withdrawn');
    expect(listed).toMatchObject([
      { name: 'a.csv', status: 'withdrawn', withdrawal: { by: 'anna', reason: 'test data' } },
    ]);
    const { document } = await world.json<Record<string, unknown>>(...rerun);
    expect(document).toMatchObject({ matching: { MATCHED: 1, NOT_APPLICABLE: 0 } });
    const reports = document['reports'] as { reconciled: string[] };
    expect(reports.reconciled.map((file) => file.replace(/^.*\//, ''))).toEqual(['b.csv']);
    const shown = await world.recon(...rerun);
    expect(shown.stdout).not.toContain('withdrawn');
  });

  test('F69 a card number in the reason is masked, stored and printed', async () => {
    const world = await worldWithPayments();
    await take(world, 'a.csv', 1);
    const card = ['--reason', 'card 4200 0000 0000 0000'];
    for (const decision of ['withdraw', 'restore']) {
      const { document } = await world.json<object>('files', decision, 'a.csv', ...card);
      expect(document).toMatchObject({ reason: 'card 420000******0000' });
    }
    const stored = await world.database.database.sql`select distinct reason from file_withdrawals`;
    expect([...stored]).toEqual([{ reason: 'card 420000******0000' }]);
  });

  test('a delivery of its bytes is a duplicate with a note that they were withdrawn, until it is restored', async () => {
    const world = await worldWithPayments();
    await take(world, 'a.csv', 1);
    await world.recon('files', 'withdraw', 'a.csv', '--reason', 'by mistake');
    const again = async () => {
      const given = ['run', '--file', world.write('again.csv', settlementFile(1)), ...asOf];
      const { code, document } = await world.json<RunOutcome>(...given);
      const [file] = document.files;
      return { code, status: file?.status, note: file?.note };
    };
    const { sha256 = '' } = (await world.json<{ sha256: string }[]>('files')).document[0] ?? {};
    const note = `These bytes were loaded before, and their file was withdrawn: its records do not count. If they are to count again, restore it: \`recon files restore ${sha256.slice(0, 8)} --reason TEXT\`.`;
    expect(await again()).toEqual({ code: 0, status: 'duplicate', note });
    await world.recon('files', 'restore', 'a.csv', '--reason', 'it was right');
    expect(await again()).toEqual({ code: 0, status: 'duplicate', note: undefined });
  });

  test('taking it back before any run leaves nothing to do', async () => {
    const world = await worldWithPayments();
    await take(world, 'a.csv', 1);
    await world.recon('files', 'withdraw', 'a.csv', '--reason', 'x');
    await world.recon('files', 'restore', 'a.csv', '--reason', 'y');
    const { document } = await world.json<object>(...rerun);
    expect(document).not.toHaveProperty('withdrawals');
  });
});

describe('a file that was rejected as a whole', () => {
  const decide = async (world: Installation, kind: 'withdraw' | 'restore', name: string) =>
    world.json('files', kind, name, '--reason', 'replaced by another file', '--by', 'anna');

  async function worldWithRejectedFile(): Promise<Installation> {
    const world = await worldWithPayments();
    await take(world, 'good.csv', 1);
    const bad = settlementFile(row(3, { Currency: 'EURO' }), row(4, { Currency: 'EURO' }));
    expect((await world.recon('run', '--file', world.write('bad.csv', bad), ...asOf)).code).toBe(1);
    return world;
  }

  test('makes each re-run of its days end with 1, until it is withdrawn, and again after it is restored', async () => {
    const world = await worldWithRejectedFile();
    expect((await world.recon(...rerun)).code).toBe(1);
    const withdrawn = await decide(world, 'withdraw', 'bad.csv');
    expect(withdrawn.document).toMatchObject({ name: 'bad.csv', status: 'withdrawn', wasRejected: true });

    const { code, document } = await world.json<{ files: unknown[]; withdrawals?: unknown }>(...rerun);
    expect({ code, files: document.files, withdrawals: document.withdrawals }).toEqual({
      code: 0,
      files: [],
      withdrawals: undefined,
    });
    expect((await decide(world, 'restore', 'bad.csv')).document).toMatchObject({ status: 'rejected' });
    expect((await world.recon(...rerun)).code).toBe(1);
  });

  test('is listed as withdrawn, with who withdrew it and why, and a delivery of the same bytes stays known', async () => {
    const world = await worldWithRejectedFile();
    await decide(world, 'withdraw', 'bad.csv');
    const listed = await world.json<object[]>('files', '--status', 'withdrawn');
    expect(listed.document).toMatchObject([
      { name: 'bad.csv', withdrawal: { by: 'anna', reason: 'replaced by another file' } },
    ]);
    const bad = settlementFile(row(3, { Currency: 'EURO' }), row(4, { Currency: 'EURO' }));
    const again = await world.json<{ files: object[] }>(
      'run',
      '--file',
      world.write('again.csv', bad),
      ...asOf,
    );
    expect(again).toMatchObject({ code: 0, document: { files: [{ status: 'duplicate' }] } });
    expect((await world.recon('audit', 'verify')).code).toBe(0);
  });

  test('and stays at its source is not compared with its announced totals again while it is withdrawn', async () => {
    const world = await worldWithPayments();
    world.write('recon.config.yaml', inboxConfig("totals: { sidecar: '{name}.totals' }"));
    world.write('inbox/b.csv', settlementFile(1));
    world.write('inbox/b.csv.totals', announcedTotals(2, 'EUR;200.00'));
    const run = async () => {
      const { code, document } = await world.json<RunOutcome>('run', ...asOf);
      return [code, ...statusesOf(document)];
    };
    expect(await run()).toEqual([1, 'b.csv rejected FILE_TOTALS_DIFFER']);
    expect(await run()).toEqual([1, 'b.csv rejected FILE_TOTALS_DIFFER']);
    await decide(world, 'withdraw', 'b.csv');
    expect(await run()).toEqual([0, 'b.csv duplicate']);
    world.write('inbox/b.csv.totals', announcedTotals(1, 'EUR;100.00'));
    expect(await run()).toEqual([0, 'b.csv duplicate']);
    await decide(world, 'restore', 'b.csv');
    expect(await run()).toEqual([0, 'b.csv loaded']);
  });
});

describe('the file', () => {
  test('that shares its name is named by the digits of its SHA-256', async () => {
    const world = await worldWithPayments();
    await take(world, 'a.csv', 1);
    await take(world, 'a.csv', 2);
    const refused = await world.json<{ error: { code: string; message: string } }>(
      'files',
      'withdraw',
      'a.csv',
      '--reason',
      'x',
    );
    expect(refused).toMatchObject({ code: 2, document: { error: { code: 'FILE_NAME_AMBIGUOUS' } } });
    const digits = [
      ...refused.document.error.message.matchAll(/^ {2}([0-9a-f]{8}) {2}a\.csv, source local/gm),
    ];
    expect(digits).toHaveLength(2);
    const chosen = await world.json('files', 'withdraw', digits[1]?.[1] ?? '', '--reason', 'x');
    expect(chosen).toMatchObject({ code: 0, document: { fileId: 2 } });
  });

  test.each<[story: string, args: string[], code: string]>([
    ['is unknown', ['withdraw', 'z.csv', '--reason', 'x'], 'FILE_NOT_KNOWN'],
    ['is not withdrawn', ['restore', 'a.csv', '--reason', 'x'], 'FILE_NOT_WITHDRAWN'],
    ['was rejected, and not withdrawn', ['restore', 'bad.csv', '--reason', 'x'], 'FILE_NOT_WITHDRAWN'],
    ['has no reason', ['withdraw', 'a.csv'], 'USAGE_INVALID'],
    ['has an empty reason', ['withdraw', 'a.csv', '--reason', ' '], 'USAGE_INVALID'],
  ])('that %s is refused', async (_story, args, code) => {
    const world = await worldWithPayments();
    await take(world, 'a.csv', 1);
    await world.recon('run', '--file', world.write('bad.csv', 'no header\n'));
    const refused = await world.json('files', ...args);
    expect(refused).toMatchObject({ code: 2, document: { error: { code } } });
  });

  test('that is withdrawn already is refused with who did it', async () => {
    const world = await worldWithPayments();
    await take(world, 'a.csv', 1);
    await world.recon('files', 'withdraw', 'a.csv', '--reason', 'first', '--by', 'anna');
    const refused = await world.json('files', 'withdraw', 'a.csv', '--reason', 'again');
    expect(refused).toMatchObject({ code: 2, document: { error: { code: 'FILE_IS_WITHDRAWN' } } });
    expect(refused.stdout).toMatch(/by anna at \d{4}-/);
    expect(refused.stdout).toContain('first');
  });
});
