import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Decided } from '../../src/items/decide.js';
import type { RunOutcome } from '../../src/outcome.js';
import { needs } from '../support/needs.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { createInstallation, paymentId, settlementFile } from './installation.js';

/** `reports.delimiter` and `reports.decimalSeparator` (design 6). */

const asOf = '2026-11-20';

/** The reports of a shop where 70.00 and 1,90.00 EUR were settled for 100.00 EUR, with one rejected row. */
async function reportsWith(format: string) {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', `reports: ${format}\n`);
  installation.write('payments.csv', paymentsFileOf([1, 2].map((number) => paymentRow(number))));
  const rows = ['70.00', '190.00', 'x'].map((Amount, index) => ({
    Amount,
    UniqueID: paymentId(Math.min(index + 1, 2)),
    SettlementTxId: `STL;${index + 1},5`,
  }));
  installation.write('settlement.csv', settlementFile(...rows));
  await installation.recon('payments', 'import', 'payments.csv');
  const run = await installation.json<RunOutcome>('run', '--file', 'settlement.csv', '--as-of', asOf);
  expect(run.code).toBe(1);
  const { reports } = run.document;
  if (reports === null) throw new Error('nothing was published');
  return { installation, reports };
}

function cellsOf(file: string, delimiter: string): string[][] {
  return parse(readFileSync(file), { delimiter, bom: true, record_delimiter: '\r\n' });
}

const people = ['discrepancies', 'openItems', 'rejectedRows', 'chargebacks', 'totals'] as const;

const office = needs.libreOffice();

/** The language is the one by whose rules a spreadsheet reads numbers: 1031 is German, 1033 is English. */
describe.each([
  ["{ delimiter: ';', decimalSeparator: ',' }", ';', ',', 1031],
  ["{ delimiter: ',', decimalSeparator: '.' }", ',', '.', 1033],
])('with reports: %s', (format, delimiter, decimalSeparator, language) => {
  test('every report for people says the same in it, and the reconciled file is not changed', async () => {
    const usual = await reportsWith('{}');
    const { reports } = await reportsWith(format);
    for (const name of people) {
      const expected = cellsOf(usual.reports[name], ';').map((row) =>
        row.map((cell) => (/^-?\d+\.\d\d$/.test(cell) ? cell.replace('.', decimalSeparator) : cell)),
      );
      expect(cellsOf(reports[name], delimiter), name).toEqual(expected);
    }
    expect(readFileSync(reports.discrepancies, 'utf8')).toContain(
      `${delimiter}190${decimalSeparator}00${delimiter}"EUR"`,
    );
    expect(readFileSync(reports.reconciled[0] ?? '', 'utf8')).toBe(
      readFileSync(usual.reports.reconciled[0] ?? '', 'utf8'),
    );
  });

  test('the sheet of `recon items --csv` has it too, and can be given back', async () => {
    const { installation, reports } = await reportsWith(format);
    const { stdout } = await installation.recon('items', '--csv', '--as-of', asOf);
    expect(stdout).toBe(readFileSync(reports.openItems, 'utf8'));
    installation.write('sheet.csv', stdout);
    const give = ['decide', '--file', 'sheet.csv', '--by', 'anna', '--as-of', asOf];
    expect((await installation.json<Decided>(...give)).document).toMatchObject({ items: 0, remarks: [] });
    const decision = cellsOf(reports.openItems, delimiter)[0]?.indexOf('Decision') ?? -1;
    const rows = cellsOf(reports.openItems, delimiter);
    rows[1]?.splice(decision, 1, 'note');
    rows[1]?.splice((rows[0] ?? []).indexOf('Note'), 1, '1,5 or 1.5; asked');
    const quoted = (cell: string) => (/[;,"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    installation.write('sheet.csv', rows.map((row) => row.map(quoted).join(delimiter)).join('\n'));
    expect((await installation.json<Decided>(...give)).document).toMatchObject({ items: 1 });
  });

  test.runIf(office.isMet)(
    `LibreOffice reads its amounts as numbers in the language ${language}, and its dates as dates`,
    { ...office.orSkipped, timeout: 120_000 },
    async () => {
      const { installation, reports } = await reportsWith(format);
      execFileSync(office.command, [
        `-env:UserInstallation=file://${path.join(installation.directory, 'profile')}`,
        '--headless',
        // Separator, quote, UTF-8, from line 1, no formats, the language, quoted cells are texts.
        `--infilter=CSV:${delimiter.charCodeAt(0)},34,UTF8,1,,${language},true,false,false`,
        ...['--convert-to', 'fods', '--outdir', installation.directory, reports.discrepancies],
      ]);
      const sheet = readFileSync(path.join(installation.directory, 'discrepancies.fods'), 'utf8');
      const types = (kind: string) => sheet.match(new RegExp(`office:value-type="${kind}"[^>]*`, 'g')) ?? [];
      expect(types('float').join()).toContain('office:value="190"');
      expect(types('date').join()).toContain('office:date-value="2026-11-19"');
    },
  );
});
