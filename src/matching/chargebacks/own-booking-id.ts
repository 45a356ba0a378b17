import { derivedId, type Fragment, type Tx } from '../fragment.js';

/*
 * The id that the booking of a record has in the payment core (design 4.5), unless it has that of the record which it
 * superseded (design 4.8). It is derived from the record. For a chargeback, it is the chargeback id too.
 */

/** Of which records the payment core has a booking. */
export type LinkKind = 'CHARGEBACK' | 'CHARGEBACK REVERSAL';

/** That of record `r`, which is of this kind. */
export function ownBookingId(tx: Tx, kind: LinkKind): Fragment {
  return derivedBookingId(tx, kind === 'CHARGEBACK' ? tx`'chargeback:'` : tx`'chargeback-reversal:'`, tx`r`);
}

/** That of a record (`r` or `o`) of the kind of link `l` (chargeback_links). */
export function ownBookingIdOfKind(tx: Tx, record: Fragment): Fragment {
  const prefix = tx`case l.kind when 'CHARGEBACK' then 'chargeback:' else 'chargeback-reversal:' end`;
  return derivedBookingId(tx, prefix, record);
}

function derivedBookingId(tx: Tx, prefix: Fragment, record: Fragment): Fragment {
  return derivedId(tx, tx`${prefix} || ${record}.fingerprint || ':' || ${record}.occurrence`);
}
