import { settlementDate } from '../generate.js';
import { amountText, hex, scatterWith, two } from '../scatter.js';
import {
  pairOf,
  settledCount,
  settledPayment,
  unkindPayments,
  type UnkindPayment,
  type UnkindSetting,
} from './payments.js';

export interface Line {
  readonly text: string;
  readonly valid: boolean;
}

/** What one row says; the cells that all rows share are added when it is written. */
interface Row {
  kind: string;
  type: string;
  cashflow: string;
  account: string;
  settlementTxId: string;
  uniqueId: string;
  shortId: string;
  connectorTxId1: string;
  connectorTxId2: string;
  amountMinor: number;
  currency: string;
  brand: string;
  requestedAt: string;
  /** Thousandths that the settled amount is multiplied by, where the sender calculated it wrongly. */
  wrongRate: number;
  status: string;
  last4: string;
  reason: string;
  claim: string;
}

/** Hundredths of EUR for one unit of each currency, as far as two decimals can say. */
const rates: Readonly<Record<string, number>> = {
  EUR: 100,
  USD: 92,
  GBP: 117,
  SEK: 9,
  CHF: 106,
  PLN: 23,
  NOK: 8,
};

const holders = ['Jane Jones', 'Erika Mustermann', 'Maria Garcia Lopez', 'Jan de Vries', 'A. Smith'];
const holdersBeyondAscii = ['Jürgen Müßig', 'Zoë Łukasik', 'François Lévêque'];

/** Prime, so that consecutive rows name payments that are far apart in the file of payments, and each only once. */
const stride = 611_953;

/** Row `i` of a settlement file about this many stored payments. */
export function unkindRows(payments: number, setting: UnkindSetting): (i: number) => Line {
  const scatter = scatterWith(setting.seed + 1);
  const paymentOf = unkindPayments(setting);
  const named = settledCount(payments);
  if (named === 0) throw new Error('the unkind data need at least 200 payments');
  const numberOf = (i: number) => settledPayment((i * stride) % named);

  const ordinary = (i: number, payment: UnkindPayment): Row => ({
    kind: 'SETTLED',
    type: payment.type === 'RF' ? 'REFUND' : 'DEBIT',
    cashflow: payment.type === 'RF' ? 'NEG' : 'POS',
    account: payment.entity,
    settlementTxId: `STL-${i.toString().padStart(9, '0')}`,
    uniqueId: payment.id,
    shortId: payment.shortId,
    connectorTxId1: payment.connectorTxId1,
    connectorTxId2: payment.connectorTxId2,
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    brand: payment.brand,
    requestedAt: scatter(i + 21) % 100 === 0 ? '' : payment.requestedAt,
    wrongRate: 1000,
    status: 'SUCCESS',
    last4: payment.last4,
    reason: ';',
    claim: scatter(i + 22) % 100 === 0 ? `MATCHED;${payment.id}` : ';',
  });

  /** Rows `i` and `i + 1` about one payment; undefined for the 95 of 100 that are about two. */
  const coupled = (i: number): Row | undefined => {
    const first = i - (i % 2);
    const draw = scatter(first * 13 + 7) % 1000;
    if (draw >= 42) return undefined;
    const payment = paymentOf(numberOf(first));
    if (payment.type === 'RF') return undefined;
    const row = ordinary(i, payment);
    const isSecond = i !== first;
    if (draw < 7) return row; // settled twice
    if (draw < 11) return inHalves(row, isSecond);
    if (draw < 13) return isSecond ? row : { ...row, status: 'FAILED' };
    if (draw < 19) return isSecond ? chargeback(row, i) : row;
    if (draw < 21) return isSecond ? reversal(row) : chargeback(row, i);
    if (draw < 41) return isSecond ? fee(row, payment) : row;
    return { ...ordinary(first, payment) }; // the same bytes twice
  };

  const alone = (i: number): { row: Row; valid: boolean } => {
    const n = numberOf(i);
    const row = ordinary(i, paymentOf(n));
    const draw = scatter(i * 31 + 17) % 1000;
    if (draw < 20) return { row: notStored(row, i), valid: true };
    if (draw < 30) return { row: ambiguous(row, paymentOf(pairOf(n))), valid: true };
    if (draw < 50) return { row: bySecondaryKey(row, draw), valid: true };
    if (draw < 55) return { row: { ...row, amountMinor: row.amountMinor + 100 }, valid: true };
    if (draw < 56) return { row: { ...row, currency: 'NOK' }, valid: true };
    if (draw < 58) return { row: { ...row, status: 'FAILED' }, valid: true };
    if (draw < 60) return { row: row.type === 'REFUND' ? row : chargeback(row, i), valid: true };
    if (draw < 61) return { row: accountFee(row), valid: true };
    if (draw < 62) return { row: withOtherDetail(row, scatter(i + 23)), valid: true };
    if (draw < 64) return { row, valid: false };
    const inFlood = setting.weather === 'flood' && scatter(i + 24) % 100 < 30;
    return { row: inFlood ? withSystematicMistake(row, scatter(i + 25)) : row, valid: true };
  };

  const lineOf = (row: Row, i: number) =>
    textOf(setting.weather === 'short-ids' ? { ...row, uniqueId: '' } : row, i, scatter);

  return (i) => {
    const couple = coupled(i);
    if (couple !== undefined)
      return { text: lineOf(couple, Number(couple.settlementTxId.slice(4))), valid: true };
    const { row, valid } = alone(i);
    const text = lineOf(row, i);
    return valid ? { text, valid } : { text: damaged(text, scatter(i + 26)), valid };
  };
}

function inHalves(row: Row, isSecond: boolean): Row {
  const half = Math.floor(row.amountMinor / 2);
  return { ...row, amountMinor: isSecond ? row.amountMinor - half : half };
}

function chargeback(row: Row, i: number): Row {
  const reason = i % 20 < 2 ? ';' : '000.100.220;Fraudulent transaction, card absent';
  return { ...row, kind: 'CHARGEBACK', cashflow: 'NEG', reason, claim: ';' };
}

function reversal(row: Row): Row {
  return { ...row, kind: 'CHARGEBACK REVERSAL', cashflow: 'POS', claim: ';' };
}

function fee(row: Row, payment: UnkindPayment): Row {
  const type = payment.type === 'CP' ? 'CAPTURE_FEE' : 'AUTH_FEE';
  return { ...row, kind: 'FEE', type, cashflow: 'NEG', amountMinor: 12, currency: 'EUR', claim: ';' };
}

/** A fee that is charged to the account and is about no payment. */
function accountFee(row: Row): Row {
  const nothing = {
    uniqueId: '',
    shortId: '',
    connectorTxId1: '',
    connectorTxId2: '',
    last4: '',
    requestedAt: '',
  };
  return { ...row, ...nothing, kind: 'FEE', type: 'MONTHLY', cashflow: 'NEG', brand: '', claim: ';' };
}

/** Carries every reference, none of which is stored. Its amount is above those of all payments. */
function notStored(row: Row, i: number): Row {
  const digits = (8_000_000_000 + i).toString();
  return {
    ...row,
    uniqueId: `ffffffff${hex(i, 24)}`,
    shortId: `99${digits.slice(0, 2)}.${digits.slice(2, 6)}.${digits.slice(6)}`,
    connectorTxId1: `ACQ-2026-unknown-${i}`,
    connectorTxId2: '',
    amountMinor: row.amountMinor + 2_000_000,
    claim: ';',
  };
}

/** Names a pair by the short id that both share. */
function ambiguous(row: Row, first: UnkindPayment): Row {
  return {
    ...row,
    type: 'DEBIT',
    cashflow: 'POS',
    account: first.entity,
    uniqueId: '',
    shortId: first.shortId,
    connectorTxId1: '',
    connectorTxId2: '',
    amountMinor: first.amountMinor,
    currency: first.currency,
    brand: first.brand,
    requestedAt: first.requestedAt,
    last4: first.last4,
    claim: ';',
  };
}

function bySecondaryKey(row: Row, draw: number): Row {
  if (draw < 38) return { ...row, uniqueId: '', connectorTxId1: '', connectorTxId2: '' };
  if (draw < 44) return { ...row, uniqueId: '', shortId: '', connectorTxId2: '' };
  if (draw < 48)
    return {
      ...row,
      uniqueId: '',
      shortId: '',
      connectorTxId1: row.connectorTxId2 === '' ? row.connectorTxId1 : '',
    };
  return { ...row, uniqueId: `eeeeeeee${row.uniqueId.slice(8)}`, claim: ';' };
}

function withOtherDetail(row: Row, draw: number): Row {
  switch (draw % 6) {
    case 0:
      return { ...row, last4: row.last4 === '0000' ? '0001' : '0000' };
    case 1:
      return { ...row, brand: row.brand === 'VISA' ? 'MASTER' : 'VISA' };
    case 2:
      return { ...row, account: `${row.account.slice(0, 31)}f` };
    case 3:
      return { ...row, cashflow: row.cashflow === 'POS' ? 'NEG' : 'POS' };
    case 4:
      return { ...row, wrongRate: 1100 };
    default:
      return { ...row, claim: 'NOT_MATCHED;' };
  }
}

/** A sender books on another account, calculates with yesterday's rates or calls all brands by one name. */
function withSystematicMistake(row: Row, draw: number): Row {
  return withOtherDetail(row, [1, 2, 4][draw % 3] ?? 1);
}

/** Makes one cell of a line invalid. */
function damaged(text: string, draw: number): string {
  const cells = text.split(';');
  const [index, value] = (
    [
      [15, '12,50'],
      [23, '2026-02-30'],
      [6, ''],
      [1, 'DEBT'],
    ] as const
  )[draw % 4] ?? [6, ''];
  cells[index] = value;
  return cells.join(';');
}

function textOf(row: Row, i: number, scatter: (value: number) => number): string {
  const draw = scatter(i + 31);
  const rate = rates[row.currency] ?? 100;
  // The exact rate has more decimals than the file shows.
  const exactRate = row.currency === 'EUR' ? 1000 : rate * 10 + (draw % 9) - 4;
  const gross = Math.round((((row.amountMinor * exactRate) / 1000) * row.wrongRate) / 1000);
  const feeMinor = row.kind === 'FEE' ? 0 : 1 + Math.floor(gross / 80);
  const settled = row.currency !== 'EUR' && i % 2 === 0 ? gross - feeMinor : gross;
  const order = `${hex(draw, 8)}-${i}`;
  // 0.5 % of the rows have a cell that must be quoted.
  const descriptor =
    draw % 200 === 0 ? `"EXAMPLE SHOP; ORDER ""${order}"""` : `EXAMPLE SHOP ${two(draw % 40)}*ORDER ${order}`;
  const names = draw % 50 === 1 ? holdersBeyondAscii : holders;
  const division = draw % 3 === 0 ? `8a8294184e542a5c014e691d${hex(draw % 12, 8)}` : '';
  return `${row.kind};${row.type};${row.cashflow};CI-471100;${row.account};Example Shop Nederland BV;8a8294184e542a5c014e691d33f808c8;${division};8a8294184e542a5c014e691d340708cc;${row.settlementTxId};${row.uniqueId};${row.shortId};${row.connectorTxId1};${row.connectorTxId2};;${amountText(row.amountMinor)};${row.currency};${row.brand};${row.requestedAt};${amountText(settled)};EUR;${feeMinor === 0 ? '' : amountText(feeMinor)};${amountText(rate)};${settlementDate};${row.status};${descriptor};${row.last4};;${names[draw % names.length] ?? ''};${row.reason};STANDARD_V2;Example Acquirer Europe;${row.claim};\n`;
}
