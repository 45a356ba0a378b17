import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { paymentsHeader, settlementHeader, type Dataset } from '../generate.js';
import { paymentText, unkindPayments, type UnkindSetting } from './payments.js';
import { unkindRows } from './rows.js';

/**
 * A settlement day as another sender would deliver it, with nothing arranged for this program's benefit: payments are
 * named in scattered order, every reference is filled, half of the rows have a real exchange rate and a fee, and a row
 * has 441 bytes. Of 1,000 rows, 20 name no stored payment, 10 a short id that two payments share (two of three such
 * pairs can be narrowed to one), 20 name theirs by a weaker key, 20 name a pending or failed payment; there are 5 of
 * another amount, 3.5 duplicates, 8 halves, 5 chargebacks, 4 failed settlements, 10 fees and 2 invalid rows. In a
 * flood, findings are as many as 61 of 100 rows: a sender's systematic mistakes, and payments that were never settled.
 * `short-ids` are the rows of the night without their UniqueIDs.
 *
 * Made once for each seed and size, and kept below `cacheDirectory`.
 */
export async function generateUnkind(
  cacheDirectory: string,
  { rows, payments }: { readonly rows: number; readonly payments: number },
  setting: UnkindSetting,
): Promise<Dataset> {
  mkdirSync(cacheDirectory, { recursive: true });
  const name = `${setting.weather}-${setting.seed}`;
  const settlementFile = path.join(cacheDirectory, `settlement-${name}-${rows}-${payments}.csv`);
  const cleanFile = path.join(cacheDirectory, `clean-${name}-${rows}-${payments}.csv`);
  const ofPayments = setting.weather === 'flood' ? 'flood' : 'night';
  const paymentsFile = path.join(cacheDirectory, `payments-${ofPayments}-${setting.seed}-${payments}.csv`);
  if (!existsSync(paymentsFile)) {
    const payment = unkindPayments(setting);
    writeFiles([paymentsFile], [paymentsHeader], payments, (n) => [paymentText(n, payment(n))]);
  }
  if (!existsSync(settlementFile) || !existsSync(cleanFile)) {
    const row = unkindRows(payments, setting);
    writeFiles([settlementFile, cleanFile], [settlementHeader, ''], rows, (i) => {
      const { text, valid } = row(i);
      return [text, valid ? `${i + 2};${text}` : ''];
    });
  }
  return Promise.resolve({ rows, payments, settlementFile, cleanFile, paymentsFile });
}

/** Writes the files under other names first, so that an incomplete file is never used. */
function writeFiles(
  files: readonly string[],
  headers: readonly string[],
  count: number,
  linesOf: (i: number) => readonly string[],
): void {
  const handles = files.map((file) => openSync(`${file}.tmp`, 'w'));
  const texts = [...headers];
  const flush = () => {
    handles.forEach((handle, index) => writeSync(handle, texts[index] ?? ''));
    texts.fill('');
  };
  for (let i = 0; i < count; i += 1) {
    for (const [index, line] of linesOf(i).entries()) texts[index] = `${texts[index] ?? ''}${line}`;
    if ((texts[0]?.length ?? 0) > 1_000_000) flush();
  }
  flush();
  handles.forEach((handle) => closeSync(handle));
  files.forEach((file) => renameSync(`${file}.tmp`, file));
}
