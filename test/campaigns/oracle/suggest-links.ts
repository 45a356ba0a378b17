import type { Item } from './books.js';
import { fits, typesFor } from './fitting-types.js';

const dayMs = 86_400_000;

/**
 * The pairs of design 4.9, by the keys of their findings: a NOT_MATCHED record and a MISSING_SETTLEMENT payment of one
 * merchant account, currency and amount within 10 days, if neither has another such partner. A payment is suggested
 * only for a SETTLED record that its type fits.
 */
export function suggestLinks(items: readonly Item[]): Map<string, string> {
  const pairs = items.flatMap(({ finding: missed }) =>
    items.flatMap(({ finding: lonely }) => {
      const { record } = lonely;
      const { payment } = missed;
      if (lonely.code !== 'NOT_MATCHED' || missed.code !== 'MISSING_SETTLEMENT') return [];
      if (record === undefined || payment === undefined || record.type !== 'SETTLED') return [];
      const apart = Date.parse(record.cells['SettlementDate'] ?? '') - Date.parse(payment.day);
      const areAlike =
        record.cells['MerchantAccountId'] === payment.entity &&
        record.currency === payment.currency &&
        record.amount === payment.amount &&
        typesFor(record) !== undefined &&
        fits(record, payment.type);
      return areAlike && Math.abs(apart) <= 10 * dayMs ? [[lonely.key, missed.key] as const] : [];
    }),
  );
  const isUnique = (key: string) => pairs.filter((pair) => pair.includes(key)).length === 1;
  return new Map(
    pairs
      .filter(([one, other]) => isUnique(one) && isUnique(other))
      .flatMap(([one, other]) => [[one, other] as const, [other, one] as const]),
  );
}
