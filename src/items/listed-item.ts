import { remedyOf } from '../findings/discrepancy-codes.js';
import type { Item } from '../findings/open-item.js';
import { formatAmount } from '../values/money.js';

/**
 * An item as `recon items --json` lists it: the columns of `open-items.csv`, with amounts as texts such as `123.45`.
 */
export interface ListedItem extends Omit<Item, 'amountMinor' | 'atRiskMinor'> {
  readonly amount: string | null;
  readonly atRisk: string;
  readonly whatToDo: string;
}

/** The item with its amounts as text, and with what to do about it. */
export function listedItem({ amountMinor, atRiskMinor, ...item }: Item): ListedItem {
  return {
    ...item,
    amount: amountMinor === null ? null : formatAmount(amountMinor),
    atRisk: formatAmount(atRiskMinor),
    whatToDo: remedyOf(item.code, item.severity),
  };
}
