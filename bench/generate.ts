import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { hex, scatterWith, two } from './scatter.js';

/**
 * A seeded settlement day of any size, whose order and cells are kind to this program (`bench/unkind` is not): 95 % are
 * found by payment id, 2 % only by a secondary key, 1 % match two payments, 2 % match no payment; among them are 0.5 %
 * chargebacks, 0.5 % with another amount, 0.1 % in another currency, 0.2 % invalid, 0.5 % with a quoted cell.
 */
export interface Dataset {
  readonly rows: number;
  readonly payments: number;
  /** The settlement file as a sender delivers it, invalid rows included. */
  readonly settlementFile: string;
  /** Only the valid rows, each preceded by its line number: what the native reference loads. */
  readonly cleanFile: string;
  readonly paymentsFile: string;
}

/** SettlementDate of every row. */
export const settlementDate = '2026-11-19';

/** The header line of a settlement file. */
export const settlementHeader =
  'ReconciliationType;PaymentType;Cashflow;ClearingInstituteMerchantId;MerchantAccountId;MerchantAccountName;PspId;DivisionId;MerchantId;SettlementTxId;UniqueID;ShortId;ConnectorTxId1;ConnectorTxId2;ConnectorTxId3;Amount;Currency;Brand;TxRequestTime;SettlementAmount;SettlementCurrency;SettlementFee;SettlementFxRate;SettlementDate;SettlementStatus;Descriptor;AccountNumberLast4;BankCode;AccountHolder;ReasonCode;ReasonDesc;SettlementFileFormat;ClearingInsitituteName;MatchingStatus;MatchedTransactions;ChargebackId\n';
/** The header line of a payments file. */
export const paymentsHeader =
  'PaymentId;ShortId;PaymentType;PaymentBrand;Amount;Currency;ResultCode;MerchantTransactionId;MerchantInvoiceId;EntityId;ConnectorTxId1;ConnectorTxId2;ConnectorTxId3;AccountNumberLast4;Timestamp;ReferencedPaymentId\n';

const scatter = scatterWith(0);
const entity = (n: number) => `8a8294174b7ecb28014b9699${hex(scatter(n) % 40, 8)}`;
const paymentId = (n: number) => `8ac7a4a0${hex(scatter(n), 8)}${hex(n, 16)}`;
const shortId = (n: number) => `${two(scatter(n) % 100)}${n.toString().padStart(9, '0')}`;
const connectorTxId = (n: number) => `ACQ${hex(scatter(n + 7), 8)}${n}`;
const amount = (n: number) => `${5 + (scatter(n + 1) % 400)}.${two(scatter(n + 2) % 100)}`;
const last4 = (n: number) => (scatter(n + 3) % 10_000).toString().padStart(4, '0');
const brand = (n: number) => ['VISA', 'MASTER', 'AMEX', 'MAESTRO'][scatter(n + 4) % 4] ?? 'VISA';
const lastDays = (n: number) => `2026-11-${two(17 + (scatter(n + 5) % 2))}`;
const time = (n: number, day: string) =>
  `${day} ${two(scatter(n + 6) % 24)}:${two(scatter(n + 8) % 60)}:${two(n % 60)}`;

/** Every 100th pair of neighbouring payments shares a short id: the source of ambiguity. */
const sharedShortId = (n: number) => `SH${Math.floor(n / 2)}`;
const isShared = (n: number) => n % 200 < 2;

/** Payment `n`, made on the given day, by default one of the last two before the settlement day. */
export function paymentLine(n: number, day = lastDays(n)): string {
  const id = isShared(n) ? sharedShortId(n) : shortId(n);
  const sold = isShared(n) ? amount(n - (n % 2)) : amount(n);
  return `${paymentId(n)};${id};DB;${brand(n)};${sold};EUR;000.000.000;order-${n.toString().padStart(9, '0')};;${entity(n)};${connectorTxId(n)};;;${last4(n)};${time(n, day)}+0000;\n`;
}

interface SettlementDay {
  readonly rows: number;
  readonly payments: number;
  /** SettlementDate of every row. */
  readonly date: string;
}

interface Line {
  readonly text: string;
  readonly valid: boolean;
}

/** Every row of a day names another payment, evenly spread over all stored payments. */
function dayLine(i: number, { rows, payments, date }: SettlementDay): Line {
  const n = (i * Math.max(1, Math.floor(payments / rows))) % payments;
  return settlementLine(i, n, { date });
}

/** Row `i` of a file, about payment `n` or one near it. */
export function settlementLine(
  i: number,
  n: number,
  { date: day, paidOn }: { readonly date: string; readonly paidOn?: string },
): Line {
  const kind = scatter(i * 31 + 17) % 1000;
  const detail = scatter(i * 57 + 5) % 1000;
  const own = isShared(n) ? n + 3 : n;
  const pair = n - (n % 200);
  const notStored = kind >= 980;
  const ambiguous = kind >= 970 && kind < 980;
  const secondary = kind >= 950 && kind < 970;
  const subject = ambiguous ? pair : own;
  const unique = ambiguous || secondary ? '' : notStored ? `ffffffff${hex(i, 24)}` : paymentId(subject);
  const short = ambiguous ? sharedShortId(pair) : secondary && i % 2 === 0 ? shortId(subject) : '';
  const connector = secondary && i % 2 === 1 ? connectorTxId(subject) : '';
  const chargeback = detail < 5;
  const otherAmount = detail >= 5 && detail < 10;
  const otherCurrency = detail === 10;
  const invalid = detail === 11 || detail === 12;
  const quoted = detail >= 13 && detail < 18;
  const sold = otherAmount ? '1.00' : amount(subject);
  const currency = otherCurrency ? 'USD' : 'EUR';
  const shown = invalid && detail === 11 ? '12,50' : sold;
  const date = invalid && detail === 12 ? '2026-02-30' : day;
  const descriptor = quoted ? `"EXAMPLE SHOP; ORDER ""${i}"""` : `EXAMPLE SHOP*ORDER ${i}`;
  const text = `${chargeback ? 'CHARGEBACK' : 'SETTLED'};DEBIT;${chargeback ? 'NEG' : 'POS'};CI-471100;${entity(subject)};Example Shop;8a8294184e542a5c014e691d33f808c8;;8a8294184e542a5c014e691d340708cc;STL-${i.toString().padStart(9, '0')};${unique};${short};${connector};;;${shown};${currency};${brand(subject)};${time(subject, paidOn ?? lastDays(subject))};${sold};${currency};;1.00;${date};SUCCESS;${descriptor};${notStored ? '' : last4(subject)};;;${chargeback ? '000.100.220;Fraud' : ';'};STANDARD;Example Acquirer;;;\n`;
  return { text, valid: !invalid };
}

/** Writes the file under another name first, so that an incomplete file is never used. */
export async function writeLines(
  file: string,
  first: string,
  count: number,
  lineOf: (i: number) => string,
): Promise<void> {
  const out = createWriteStream(`${file}.tmp`);
  let buffered = first;
  for (let i = 0; i < count; i += 1) {
    buffered += lineOf(i);
    if (buffered.length > 1_000_000) {
      if (!out.write(buffered)) await once(out, 'drain');
      buffered = '';
    }
  }
  out.end(buffered);
  await once(out, 'finish');
  renameSync(`${file}.tmp`, file);
}

/** Generates the given number of payments once and keeps them below `cacheDirectory`. */
export async function generatePayments(cacheDirectory: string, payments: number): Promise<string> {
  const file = path.join(cacheDirectory, `payments-${payments}.csv`);
  mkdirSync(cacheDirectory, { recursive: true });
  if (!existsSync(file)) await writeLines(file, paymentsHeader, payments, paymentLine);
  return file;
}

/** Generates a settlement day of the given size once and keeps it below `cacheDirectory`. */
export async function generateDay(cacheDirectory: string, rows: number, payments: number): Promise<Dataset> {
  const day = { rows, payments, date: settlementDate };
  const dataset = {
    rows,
    payments,
    settlementFile: path.join(cacheDirectory, `settlement-${rows}-${payments}.csv`),
    cleanFile: path.join(cacheDirectory, `clean-${rows}-${payments}.csv`),
    paymentsFile: await generatePayments(cacheDirectory, payments),
  };
  if (!existsSync(dataset.settlementFile)) {
    await writeLines(dataset.settlementFile, settlementHeader, rows, (i) => dayLine(i, day).text);
  }
  if (!existsSync(dataset.cleanFile)) {
    await writeLines(dataset.cleanFile, '', rows, (i) => {
      const { text, valid } = dayLine(i, day);
      return valid ? `${i + 2};${text}` : '';
    });
  }
  return dataset;
}

/** The lines of a kind settlement day. */
export function kindLines(rows: number, payments: number): (i: number) => string {
  return (i) => dayLine(i, { rows, payments, date: settlementDate }).text;
}

/**
 * Splits the rows of one settlement day into `parts` files. The n-th file gets the n-th of `dates`; without `dates`
 * all have the same day.
 *
 * @returns the files, in the order of their rows
 */
export async function generateParts(
  directory: string,
  day: { readonly rows: number; readonly lineOf: (i: number) => string },
  parts: number,
  dates: readonly string[] = [],
): Promise<string[]> {
  mkdirSync(directory, { recursive: true });
  const rowsPerPart = Math.ceil(day.rows / parts);
  const files: string[] = [];
  for (let part = 0; part < parts; part += 1) {
    const file = path.join(directory, `settlement-${part.toString().padStart(3, '0')}.csv`);
    const first = part * rowsPerPart;
    const date = `;${dates[part] ?? settlementDate};`;
    await writeLines(file, settlementHeader, Math.min(rowsPerPart, day.rows - first), (i) =>
      day.lineOf(first + i).replace(`;${settlementDate};`, date),
    );
    files.push(file);
  }
  return files;
}
