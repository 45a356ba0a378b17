import { describe, expect, test } from 'vitest';
import { createInstallation, paymentsFile, settlementFile, type Installation } from './installation.js';
import { paymentId } from '../support/settlement-rows.js';

const asOf = '2026-11-20';

/** 90.00 and 80.00 EUR settled for payments of 100.00 EUR. */
async function shortSettlements(): Promise<Installation> {
  const installation = await createInstallation();
  installation.write('payments.csv', paymentsFile(1, 2));
  installation.write(
    'settlement.csv',
    settlementFile(
      { UniqueID: paymentId(1), SettlementTxId: 'STL-1', Amount: '90.00', SettlementAmount: '90.00' },
      { UniqueID: paymentId(2), SettlementTxId: 'STL-2', Amount: '80.00', SettlementAmount: '80.00' },
    ),
  );
  await installation.recon('payments', 'import', 'payments.csv');
  expect((await installation.recon('run', '--file', 'settlement.csv', '--as-of', asOf)).code).toBe(0);
  return installation;
}

interface Explained {
  readonly record: { readonly discrepancies: readonly Record<string, unknown>[] };
}

const explain = async (installation: Installation, reference: string, day = asOf) =>
  (await installation.recon('explain', reference, '--as-of', day)).stdout;

async function decide(installation: Installation, ...args: string[]): Promise<void> {
  const ended = await installation.recon('decide', ...args, '--by', 'anna', '--as-of', asOf);
  expect({ code: ended.code, stderr: ended.code === 0 ? '' : ended.stderr }).toEqual({ code: 0, stderr: '' });
}

test('recon explain takes the id that the table of recon items shows', async () => {
  const installation = await shortSettlements();
  const { stdout } = await installation.recon('items', '--as-of', asOf);
  const [id = ''] = /^[0-9a-f]{12}(?= )/m.exec(stdout) ?? [];
  const { code, stdout: text } = await installation.recon('explain', id, '--as-of', asOf);
  expect(code).toBe(0);
  expect(text).toContain(`first seen in run 1, ${id}`);
});

describe('recon explain shows what was decided about a finding', () => {
  test('an accepted one is accepted, with who and why, and needs no remedy', async () => {
    const installation = await shortSettlements();
    expect(await explain(installation, 'STL-1')).toMatch(/AMOUNT_MISMATCH \(error\) open, first seen/);
    await decide(installation, 'settlement.csv:2', '--accept', '--reason', 'the fee was deducted');
    const text = await explain(installation, 'STL-1');
    expect(text).toContain('AMOUNT_MISMATCH (error) accepted by anna on 2026-11-20, first seen in run 1, ');
    expect(text.trimEnd().split('\n').at(-1)).toBe('    Reason: the fee was deducted');
    const { document } = await installation.json<Explained>('explain', 'STL-1', '--as-of', asOf);
    expect(document.record.discrepancies).toMatchObject([
      { code: 'AMOUNT_MISMATCH', resolvedRun: null, status: 'ACCEPTED', decidedBy: 'anna', lapsed: false },
    ]);
    expect((await explain(installation, 'STL-2')).includes('(error) open, ')).toBe(true);
  });

  test('a waiting one waits until its day', async () => {
    const installation = await shortSettlements();
    await decide(installation, 'settlement.csv:2', '--wait', '2026-11-24');
    expect(await explain(installation, 'STL-1')).toContain(
      'AMOUNT_MISMATCH (error) waiting until 2026-11-24 (anna on 2026-11-20), first seen',
    );
    expect(await explain(installation, 'STL-1', '2026-11-24')).toContain('AMOUNT_MISMATCH (error) open, ');
  });

  test('a lapsed one is open again, and says whose decision lapsed', async () => {
    const installation = await shortSettlements();
    await decide(installation, 'settlement.csv:2', '--accept', '--reason', 'fine');
    installation.write(
      'more.csv',
      settlementFile({
        UniqueID: paymentId(1),
        SettlementTxId: 'STL-9',
        Amount: '5.00',
        SettlementAmount: '5.00',
      }),
    );
    await installation.recon('run', '--file', 'more.csv', '--as-of', asOf);
    expect(await explain(installation, 'STL-9')).toContain(
      'AMOUNT_MISMATCH (error) open again: its facts changed after anna accepted it on 2026-11-20, first seen',
    );
  });
});

describe('recon explain says why there is no record', () => {
  const why = async (installation: Installation, reference: string) => {
    const { code, stderr } = await installation.recon('explain', reference);
    expect(code).toBe(2);
    return stderr;
  };

  test('of a file that was rejected, past the end, the header, and within a row of several lines', async () => {
    const installation = await shortSettlements();
    installation.write('wrong.csv', 'ReconciliationType;PaymentType\nSETTLED;DEBIT\n');
    await installation.recon('run', '--file', 'wrong.csv', '--as-of', asOf);
    expect(await why(installation, 'wrong.csv:2')).toContain(
      'wrong.csv was rejected as a whole, so no record of it is stored: ',
    );
    expect(await why(installation, 'settlement.csv:4')).toContain(
      'settlement.csv has no row at line 4: its last row begins at line 3.',
    );
    expect(await why(installation, 'settlement.csv:1')).toContain(
      'Line 1 of settlement.csv is its header; the first row begins at line 2.',
    );
    expect(await why(installation, 'unknown.csv:4')).toContain(
      'No stored record is known as "unknown.csv:4", and no file as "unknown.csv".',
    );
    expect(await why(installation, 'STL-77')).toContain('No stored record is known as "STL-77".');
    installation.write(
      'quoted.csv',
      settlementFile(
        { UniqueID: paymentId(1), SettlementTxId: 'STL-20', Descriptor: 'first\nsecond' },
        { UniqueID: paymentId(2), SettlementTxId: 'STL-21' },
      ),
    );
    await installation.recon('run', '--file', 'quoted.csv', '--as-of', asOf);
    expect(await why(installation, 'quoted.csv:3')).toContain(
      'quoted.csv has no row at line 3: the row before it begins at line 2.',
    );
  });
});
