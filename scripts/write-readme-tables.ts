import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCatalogue } from '../src/errors.js';
import { discrepancyCodes } from '../src/matching/discrepancies/discrepancy-codes.js';
import { issueCodes } from '../src/settlement-file/row-issues.js';
import { runbookTables } from './runbook-errors.js';

/**
 * The tables of codes in the README and the runbook come from the catalogues themselves:
 * `npx tsx scripts/write-readme-tables.ts`. Tests compare.
 */
const conditions: Readonly<Record<keyof typeof discrepancyCodes, string>> = {
  NOT_MATCHED: 'a record that should have a payment has none',
  MULTIPLE_MATCHES: 'several payments fit and nothing tells them apart',
  CURRENCY_MISMATCH: 'settled in another currency than the payment’s',
  DUPLICATE_SETTLEMENT: 'earlier records have settled the payment in full already',
  AMOUNT_MISMATCH: 'what was settled for the payment is not its amount',
  TYPE_MISMATCH: 'the payment’s type does not fit the record’s',
  PAYMENT_NOT_SUCCESSFUL: 'settled, but the payment failed or is pending',
  PAYMENT_REVERSED: 'settled, but the payment was reversed in full',
  MERCHANT_ACCOUNT_MISMATCH: 'another merchant account than the payment’s',
  ACCOUNT_MISMATCH: 'other last four digits than the payment’s',
  BRAND_MISMATCH: 'another brand than the payment’s',
  CASHFLOW_MISMATCH: 'POS or NEG contradicts the type of the record',
  SETTLEMENT_FAILED: 'SettlementStatus is FAILED',
  FX_MISMATCH: 'Amount × SettlementFxRate is not SettlementAmount, with or without the fee',
  CHARGEBACK_EXCEEDS_PAYMENT: 'chargebacks less reversals are more than was paid',
  REVERSAL_WITHOUT_CHARGEBACK: 'a chargeback reversal for which no open chargeback is known',
  CHARGEBACK_WITHOUT_REASON: 'a chargeback without ReasonCode',
  CLAIM_DIFFERS: 'the sender’s own columns 34 or 35 say something else than we found',
  MISSING_SETTLEMENT: 'a successful payment that is due and that no record settled',
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export const readmeTables: Readonly<Record<string, string>> = {
  errors: table(
    ['code', 'exit code', 'what to do'],
    Object.entries(errorCatalogue).map(([code, { exitCode, advice }]) => [
      `\`${code}\``,
      String(exitCode),
      advice,
    ]),
  ),
  issues: table(
    ['code', 'meaning'],
    Object.entries(issueCodes).map(([code, sentence]) => [`\`${code}\``, sentence]),
  ),
  discrepancies: table(
    ['code', 'severity', 'when', 'what to do'],
    Object.entries(discrepancyCodes).map(([code, { severity, remedy }]) => [
      `\`${code}\``,
      severity,
      conditions[code as keyof typeof discrepancyCodes],
      remedy,
    ]),
  ),
};

/** A page with its generated tables as the catalogues are now. */
export function withTables(page: string, tables = readmeTables): string {
  return Object.entries(tables).reduce(
    (text, [name, content]) =>
      text.replace(
        new RegExp(`(<!-- table: ${name} -->\n)[^]*?(\n<!-- end -->)`),
        (_all, begin: string, end: string) => `${begin}\n${content}\n${end}`,
      ),
    page,
  );
}

const root = path.resolve(import.meta.dirname, '..');
if (process.argv[1]?.endsWith('write-readme-tables.ts') === true) {
  for (const [name, tables] of [
    ['README.md', readmeTables],
    ['docs/runbook.md', runbookTables],
  ] as const) {
    const file = path.join(root, name);
    writeFileSync(file, withTables(readFileSync(file, 'utf8'), tables));
  }
}
