import { holdsAgainst } from '../discrepancies/check.js';
import { discrepancyCodes } from '../../findings/discrepancy-codes.js';
import { fullyReversed } from '../discrepancies/reversed-payments.js';
import { recordsOfPayments } from '../discrepancies/records-of-payments.js';
import { repeatedFailures } from '../discrepancies/repeated-failures.js';
import { allRecordChecks, type RecordCheckSettings } from '../find-discrepancies.js';
import type { Tx } from '../fragment.js';
import type { Comparison } from './explanation.js';
import type { RecordAddress } from './find-record.js';

/**
 * Runs the checks of a single record, the same that find its discrepancies, and returns for each what was
 * expected, what was found and the verdict. Returns nothing before the first run has matched the record.
 */
export async function compareRecord(
  tx: Tx,
  { fileId, line }: RecordAddress,
  settings: RecordCheckSettings,
): Promise<Comparison[]> {
  const each = allRecordChecks(tx, settings)
    .map(
      (check, position) => tx`select ${position}::integer, ${check.code}::text,
        coalesce(${check.applies}, false), ${holdsAgainst(tx, check)}, ${check.expected}::text, ${check.actual}::text`,
    )
    .reduce((all, more) => tx`${all} union all ${more}`);
  const ownPayment = tx`select payment_key from record_matches where file_id = ${fileId} and line = ${line}`;
  const rows = await tx<
    (Pick<Comparison, 'code' | 'expected' | 'actual'> & { applies: boolean; wrong: boolean })[]
  >`
    select c.code, c.applies, c.wrong, c.expected, c.actual
    from record_matches m
    join settlement_records r on r.file_id = m.file_id and r.line = m.line
    left join payments p on p.key = m.payment_key
    left join (${fullyReversed(tx, ownPayment)}) v on v.payment_key = m.payment_key
    left join (${repeatedFailures(tx, recordsOfPayments(tx, ownPayment))}) e on e.file_id = r.file_id and e.line = r.line
    cross join lateral (${each}) c (position, code, applies, wrong, expected, actual)
    where m.file_id = ${fileId} and m.line = ${line}
    order by c.position`;
  return rows.map(({ applies, wrong, code, expected, actual }) => ({
    code,
    severity: discrepancyCodes[code].severity,
    verdict: !applies ? 'does not apply' : wrong ? 'discrepancy' : 'in order',
    expected: applies ? expected : null,
    actual: applies ? actual : null,
  }));
}
