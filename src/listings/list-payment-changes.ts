import { isoMoment } from '../values/iso-moment.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { listSource, type ListSource } from './listing.js';

/** A value of a stored payment that an import changed. */
export interface ListedChange {
  /** ISO moment in UTC. */
  readonly changedAt: string;
  readonly paymentId: string;
  readonly column: string;
  /** FILLED, RESULT or CONTRADICTION. */
  readonly kind: string;
  readonly oldValue: string | null;
  readonly newValue: string;
  readonly file: string;
  readonly sha256: string;
  readonly line: number;
}

/** The changes that imports made, the latest first. */
export function paymentChangeList(filter: { readonly paymentId: string | null }): ListSource<ListedChange> {
  return listSource<ListedChange, ListedChange>(
    (tx) => {
      const wanted = filter.paymentId === null ? tx`` : tx`where payment_id = ${filter.paymentId}`;
      return {
        rows: tx`
          select changed_at as "changedAt", payment_id as "paymentId", column_name as "column", kind,
            old_value as "oldValue", new_value as "newValue", file_name as file, file_sha256 as sha256, line
          from payment_changes ${wanted} order by id desc`,
        total: tx`select count(*)::integer as total from payment_changes ${wanted}`,
      };
    },
    (change) => ({
      ...change,
      changedAt: isoMoment(change.changedAt),
      oldValue: change.oldValue === null ? null : maskCardNumbers(change.oldValue),
      newValue: maskCardNumbers(change.newValue),
    }),
  );
}
