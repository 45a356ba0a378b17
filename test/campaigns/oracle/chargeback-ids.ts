import path from 'node:path';
import type { ExpectedRun } from './books.js';
import { readReport } from './read-report.js';
import type { SettlementRecord } from './records.js';

/** The id that each chargeback record was given, as the reports said it first. */
export type ChargebackIds = Map<SettlementRecord, string>;

const pattern = /^[0-9a-f]{32}$/;

/**
 * Design 4.5: a matched chargeback has an id that never changes and that no other has, its reversal has the same one,
 * and what is not matched has none.
 */
export function compareChargebackIds(folder: string, expected: ExpectedRun, ids: ChargebackIds): string[] {
  const rows = expected.loaded.flatMap(({ file, rows: loaded }) => {
    const written = readReport(path.join(folder, 'reconciled', file.delivered.name));
    return loaded.map(({ record }, index) => ({ record, id: written[index]?.['ChargebackId'] ?? '' }));
  });
  const differences: string[] = [];
  const differ = ({ place }: SettlementRecord, what: string) =>
    differences.push(`the chargeback id of ${place} ${what}`);
  for (const { record, id } of rows) {
    const isMatched = expected.matches.get(record)?.status === 'MATCHED';
    if (record.type !== 'CHARGEBACK' || !isMatched) continue;
    if (!pattern.test(id)) differ(record, `is "${id}"`);
    else if (ids.has(record) && ids.get(record) !== id) differ(record, 'has changed');
    else if ([...ids].some(([other, known]) => other !== record && known === id))
      differ(record, 'is not its own');
    ids.set(record, id);
  }
  for (const { record, id } of rows) {
    const isMatched = expected.matches.get(record)?.status === 'MATCHED';
    const chargeback = expected.chargebacks.linked.get(record);
    if (chargeback !== undefined && ids.has(chargeback) && ids.get(chargeback) !== id) {
      differ(record, `is not that of ${chargeback.place}`);
    }
    if ((!isMatched || !record.type.startsWith('CHARGEBACK')) && id !== '') differ(record, 'is too much');
  }
  return differences;
}
