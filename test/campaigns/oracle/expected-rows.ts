import { isLapsed, statusOf, type ExpectedRun, type Item } from './books.js';
import type { Row } from './read-report.js';
import { currencyOf, type Finding } from './findings.js';
import { writeMoney } from './payments.js';

const day = 86_400_000;

/** The columns of open-items.csv that follow from the rules; texts for people are not among them. */
export function expectedItem(item: Item, { asOf }: ExpectedRun): Row {
  const { finding } = item;
  const { record, payment } = finding;
  const ofPayment = record === undefined || isAboutPayment(finding);
  return {
    Code: finding.code,
    Severity: finding.severity,
    Status: statusOf(item, asOf),
    Lapsed: isLapsed(item, asOf) ? 'yes' : '',
    AtRisk: writeMoney(finding.atRisk),
    Currency: currencyOf(finding),
    Since: item.since,
    AgeDays: ((Date.parse(asOf) - Date.parse(item.since)) / day).toString(),
    MerchantAccountId: record?.cells['MerchantAccountId'] ?? payment?.entity ?? '',
    PaymentType: record?.kind ?? payment?.type ?? '',
    Date: record?.cells['SettlementDate'] ?? payment?.day ?? '',
    PaymentId: payment?.id ?? '',
    File: record?.file.delivered.name ?? '',
    Line: record?.line.toString() ?? '',
    Source: record?.file.delivered.source ?? '',
    SettlementTxId: record?.cells['SettlementTxId'] ?? '',
    ...(ofPayment ? { Expected: finding.expected, Actual: finding.actual } : {}),
  };
}

function isAboutPayment({ code }: Finding): boolean {
  return ['AMOUNT_MISMATCH', 'CHARGEBACK_EXCEEDS_PAYMENT', 'MISSING_SETTLEMENT'].includes(code);
}

const copied = [
  ...['ReconciliationType', 'PaymentType', 'MerchantAccountId', 'SettlementTxId', 'UniqueID', 'ShortId'],
  ...['Amount', 'Currency', 'SettlementAmount', 'SettlementCurrency', 'SettlementDate', 'SettlementStatus'],
];

/** The columns of discrepancies.csv that follow from the rules. */
export function expectedDiscrepancy(item: Item, { matches }: ExpectedRun): Row {
  const { finding, firstRun } = item;
  const { record, payment } = finding;
  const match = record === undefined ? undefined : matches.get(record);
  return {
    Code: finding.code,
    Severity: finding.severity,
    Source: record?.file.delivered.source ?? '',
    File: record?.file.delivered.name ?? '',
    Line: record?.line.toString() ?? '',
    ...Object.fromEntries(copied.map((name) => [name, record?.cells[name] ?? ''])),
    MatchingStatus: match?.status ?? '',
    MatchedTransactions: match?.payments.map(({ id }) => id).join(',') ?? '',
    MatchedBy: match?.by ?? '',
    MatchedThrough: match?.through ?? '',
    PaymentId: payment?.id ?? '',
    MerchantTransactionId: payment?.merchantTransaction ?? '',
    MerchantInvoiceId: payment?.merchantInvoice ?? '',
    Expected: finding.expected,
    Actual: finding.actual,
    Difference: finding.difference,
    DifferenceCurrency: finding.differenceCurrency,
    FirstSeenRun: firstRun.toString(),
    PaidAmount: payment === undefined ? '' : writeMoney(payment.amount),
    PaidCurrency: payment?.currency ?? '',
    PaidOn: payment?.day ?? '',
    PaidAs: payment?.type ?? '',
    PaidAccount: payment?.entity ?? '',
  };
}
