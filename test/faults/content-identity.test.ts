import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { archivePath, plainArchive } from '../support/archive.js';
import type { RunOutcome } from '../../src/outcome.js';
import { paymentsFile } from '../cli/installation.js';
import { fileOf } from '../settlement-file/rows.js';
import { createIntakeScene, settlingRow as row, type IntakeScene } from './intake-scene.js';
import { factsOf } from './stored-facts.js';

/*
 * A file is its bytes and a record its first 33 cells (design 4.3): names, dates and earlier versions decide
 * nothing. So a corrected row is a new record beside the old one, and what the two mean for the payment is reported
 * as a discrepancy; nothing is ever replaced in silence.
 */

let scene: IntakeScene;

beforeEach(async () => {
  scene = await sceneWithPayments();
});

afterEach(async () => {
  await scene.end();
});

async function sceneWithPayments(): Promise<IntakeScene> {
  const created = await createIntakeScene();
  await created.storePayments(paymentsFile(1, 2, 3, 4));
  return created;
}

const chargeback = (number: number) =>
  row(number, { ReconciliationType: 'CHARGEBACK', Cashflow: 'NEG', ReasonCode: '000.100.220' });

/** Status and rows of each file of a run, in one line. */
function reported({ files }: RunOutcome): string[] {
  return files.map(
    ({ name, status, rows }) =>
      `${name} ${status} ${rows.accepted}/${rows.total}, ${rows.alreadyKnown} known, ${rows.rejected} rejected`,
  );
}

/** The open discrepancies that are about records; payments without settlement are not compared here. */
async function findings(): Promise<string[]> {
  const rows = await scene.database.database.sql<{ reported: string }[]>`
    select concat_ws(' ', code, settlement_tx_id, amount_minor, expected, actual) as reported
    from discrepancies join settlement_records using (file_id, line)
    where resolved_run is null order by 1`;
  return rows.map((found) => found.reported);
}

const original = { name: 'a.csv', content: fileOf(row(1), row(2), chargeback(3)) };
const corrected = {
  name: 'a.csv',
  content: fileOf(
    row(1, { Amount: '90.00', SettlementAmount: '90.00', SettlementDate: '2026-11-20' }),
    row(2),
    chargeback(3),
    row(4),
  ),
};

/** The later delivery waits for a decision, and does not count in the sum of its payment. */
const correctionLast = [
  'RECORD_REDELIVERED STL-1 9000 Amount 100.00, SettlementAmount 100.00, SettlementDate 2026-11-19' +
    ' Amount 90.00, SettlementAmount 90.00, SettlementDate 2026-11-20',
];
const correctionFirst = [
  'AMOUNT_MISMATCH STL-1 9000 100.00 90.00',
  'RECORD_REDELIVERED STL-1 10000 Amount 90.00, SettlementAmount 90.00, SettlementDate 2026-11-20' +
    ' Amount 100.00, SettlementAmount 100.00, SettlementDate 2026-11-19',
];

describe('versions of a file', () => {
  test('F32 the same name with other content is another file; both stay in the archive', async () => {
    const first = await scene.night(original);
    expect(reported(first)).toEqual(['a.csv loaded 3/3, 0 known, 0 rejected']);
    const second = await scene.night(corrected);
    expect(reported(second)).toEqual(['a.csv loaded 4/4, 2 known, 0 rejected']);
    const digests = [...first.files, ...second.files].map(({ sha256 }) => sha256 ?? '');
    expect(new Set(digests).size).toBe(2);
    for (const sha256 of digests) expect(await plainArchive(scene.dataDirectory).isIntact(sha256)).toBe(true);
  });

  test('F33 a corrected row is reported beside the row it corrects; what did not change keeps its chargeback id', async () => {
    await scene.night(original);
    expect(await findings()).toEqual([]);
    const before = await scene.database.database.sql`select chargeback_id, booking_id from chargeback_links`;
    expect(before).toHaveLength(1);
    await scene.night(corrected);
    expect(await findings()).toEqual(correctionLast);
    expect(await scene.database.database.sql`select chargeback_id, booking_id from chargeback_links`).toEqual(
      before,
    );
  });

  // Which delivery is the later one is decided by receipt (design 4.8); everything else is the same.
  test.each([
    ['in one run, the correction last', [[original, corrected]], correctionLast],
    ['in one run, the correction first', [[corrected, original]], correctionFirst],
    ['in two runs, the correction first', [[corrected], [original]], correctionFirst],
  ])('F34 original and correction %s end the same', async (_order, runs, expectedFindings) => {
    await scene.night(original);
    await scene.night(corrected);
    const { discrepancies: _, ...expected } = await factsOf(scene);
    await scene.end();
    scene = await sceneWithPayments();
    for (const files of runs) await scene.night(...files);
    expect(await factsOf(scene)).toMatchObject(expected);
    expect(await findings()).toEqual(expectedFindings);
  });

  test('F36 neither the date in the name nor that of the file determines its days', async () => {
    const file = {
      name: 'settlement-2026-01-02.csv',
      content: fileOf(row(1)),
      modifiedAt: new Date('2026-05-05T05:00:00Z'),
    };
    await scene.night(file);
    const [stored] = await scene.database.database.sql`
      select first_settlement_date, last_settlement_date from settlement_files`;
    expect(stored).toEqual({ first_settlement_date: '2026-11-19', last_settlement_date: '2026-11-19' });
    const reportsOn = async (day: string) => (await scene.rerun(day, day)).reports?.reconciled.length;
    expect([
      await reportsOn('2026-11-19'),
      await reportsOn('2026-01-02'),
      await reportsOn('2026-05-05'),
    ]).toEqual([1, 0, 0]);
  });

  test('F37 a file is known although its bytes are gone from the archive, and they are there again afterwards', async () => {
    const { files } = await scene.night(original);
    const sha256 = files[0]?.sha256 ?? '';
    rmSync(archivePath(scene.dataDirectory, sha256));
    const expected = await factsOf(scene);
    expect(reported(await scene.night({ ...original, name: 'of-old.csv' }))).toEqual([
      'of-old.csv duplicate 0/0, 0 known, 0 rejected',
    ]);
    expect(await factsOf(scene)).toEqual(expected);
    expect(await plainArchive(scene.dataDirectory).isIntact(sha256)).toBe(true);
  });

  test.each([
    ['a damaged zip', [0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x08, 0x00, 0x08, 0x00]],
    ['a damaged gzip', [0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03]],
    ['a zstd', [0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58]],
  ])('F39 %s is rejected as received', async (_what, magic) => {
    const content = Buffer.concat([Buffer.from(magic), Buffer.from(fileOf(row(1)))]);
    const { files } = await scene.night({ name: 'a.csv', content });
    expect(files[0]).toMatchObject({
      status: 'rejected',
      error: { code: expect.stringMatching(/^FILE_(ENCODING|HEADER|PACKED_DAMAGED)$/) as string },
      rows: { total: 0 },
    });
  });
});

describe('rows that come again', () => {
  test('F67 identical rows in one file are two records; the same rows in an overlapping file add none', async () => {
    const night = await scene.night({
      name: 'a.csv',
      content: fileOf(row(1), row(2), row(1), chargeback(3)),
    });
    expect(reported(night)).toEqual(['a.csv loaded 4/4, 0 known, 0 rejected']);
    expect(await findings()).toEqual(['DUPLICATE_SETTLEMENT STL-1 10000 0.00 100.00']);
    const again = await scene.night({
      name: 'b.csv',
      content: fileOf(chargeback(3), row(1), row(1), row(4)),
    });
    expect(reported(again)).toEqual(['b.csv loaded 4/4, 3 known, 0 rejected']);
    // The overlap has booked nothing twice and found nothing new.
    const bookings = await scene.database.database
      .sql`select amount_minor from payments where payment_type = 'CB'`;
    expect(bookings).toEqual([{ amount_minor: 10000n }]);
    expect(await findings()).toEqual(['DUPLICATE_SETTLEMENT STL-1 10000 0.00 100.00']);
    const listed = await scene.database.database.sql`select line from already_known_rows order by line`;
    expect(listed.map(({ line }) => Number(line))).toEqual([2, 3, 4]);
  });

  test('F68 one reference with two amounts: both records are kept and the payment is reported', async () => {
    await scene.night({
      name: 'a.csv',
      content: fileOf(row(1, { Amount: '60.00' }), row(1, { Amount: '50.00', SettlementDate: '2026-11-20' })),
    });
    const records = await scene.database.database.sql`
      select amount_minor from settlement_records order by line`;
    expect(records).toEqual([{ amount_minor: 6000n }, { amount_minor: 5000n }]);
    expect(await findings()).toEqual([
      'AMOUNT_MISMATCH STL-1 5000 100.00 110.00',
      'FX_MISMATCH STL-1 5000 50.00 100.00',
      'FX_MISMATCH STL-1 6000 60.00 100.00',
    ]);
  });
});
