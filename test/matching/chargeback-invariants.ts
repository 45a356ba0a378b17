import type { Tx } from '../../src/db/client.js';

/**
 * What holds for chargebacks whatever happened before (design 4.5 and 4.8), as statements that must find no row. Which
 * reversal takes which chargeback depends on the order of the runs, so the model cannot say it for every history.
 */
export async function brokenInvariants(tx: Tx): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [invariant, statement] of Object.entries(invariants)) {
    const rows = await tx.unsafe(statement);
    const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
    if (rows.length > 0) found.push(`${invariant}: ${JSON.stringify(rows.slice(0, 3), asText)}`);
  }
  return found;
}

const counts = `not exists (select from uncounted_records u where u.file_id = r.file_id and u.line = r.line)`;

const invariants: Readonly<Record<string, string>> = {
  'a matched chargeback that counts has an id, on the payment of its result': `
    select r.file_id, r.line from settlement_records r join record_matches m using (file_id, line)
    left join chargeback_links l on l.file_id = r.file_id and l.line = r.line
    where r.reconciliation_type = 'CHARGEBACK' and m.status = 'MATCHED' and ${counts}
      and (l.active is not true or l.payment_key <> m.payment_key or l.kind <> 'CHARGEBACK')`,
  'only a matched record that counts holds an id': `
    select l.file_id, l.line from chargeback_links l join settlement_records r using (file_id, line)
    left join record_matches m using (file_id, line)
    where l.active and (m.status is distinct from 'MATCHED' or m.payment_key <> l.payment_key or not ${counts}
      or l.kind <> r.reconciliation_type)`,
  'a booking has the amount and currency of the record that holds it': `
    select l.booking_id, l.file_id, l.line from chargeback_links l join settlement_records r using (file_id, line)
    join payments paid on paid.key = l.payment_key left join payments booked on booked.id = l.booking_id
    where l.active and (booked.amount_minor is distinct from r.amount_minor
      or booked.currency is distinct from r.currency
      or booked.payment_type <> case l.kind when 'CHARGEBACK' then 'CB' else 'CR' end
      or booked.referenced_payment_id is distinct from
        case l.kind when 'CHARGEBACK' then paid.id else l.chargeback_id end)`,
  'a booking that no record holds has no money': `
    select b.id, b.amount_minor from payments b
    where b.payment_type in ('CB', 'CR') and b.amount_minor <> 0
      and b.id in (
        select left(encode(sha256(convert_to(word || r.fingerprint || ':' || r.occurrence, 'UTF8')), 'hex'), 32)
        from settlement_records r, (values ('chargeback:'), ('chargeback-reversal:')) kinds (word))
      and not exists (select from chargeback_links l where l.booking_id = b.id and l.active)`,
  'no reversal waits beside an open chargeback of its payment': `
    select r.file_id, r.line from settlement_records r join record_matches m using (file_id, line)
    where r.reconciliation_type = 'CHARGEBACK REVERSAL' and r.settlement_status = 'SUCCESS'
      and m.status = 'MATCHED' and ${counts}
      and not exists (select from chargeback_links l where l.file_id = r.file_id and l.line = r.line and l.active)
      and exists (select from chargeback_links c join payments b on b.id = c.booking_id
        cross join lateral (select count(*) as parts, coalesce(sum(v.amount_minor), 0) as returned,
            bool_and(v.currency = b.currency) as in_currency
          from chargeback_links x join payments v on v.id = x.booking_id
          where x.chargeback_id = c.chargeback_id and x.kind = 'CHARGEBACK REVERSAL' and x.active) back
        where c.payment_key = m.payment_key and c.kind = 'CHARGEBACK' and c.active
          and (back.parts = 0 or (back.in_currency and r.currency = b.currency and back.returned < b.amount_minor
            and back.returned + r.amount_minor <= b.amount_minor)))`,
  'a reversal reverses a chargeback of the payment that it is matched to': `
    select l.file_id, l.line from chargeback_links l
    join chargeback_links c on c.chargeback_id = l.chargeback_id and c.kind = 'CHARGEBACK' and c.active
    where l.kind = 'CHARGEBACK REVERSAL' and l.active and c.payment_key <> l.payment_key`,
  'one chargeback holds an id': `
    select chargeback_id from chargeback_links where active and kind = 'CHARGEBACK' group by 1 having count(*) > 1`,
  'reversals in several currencies hold no id': `
    select l.chargeback_id from chargeback_links l join payments b on b.id = l.booking_id
    where l.active and l.kind = 'CHARGEBACK REVERSAL' group by 1 having count(distinct b.currency) > 1`,
  'one record holds a booking': `
    select booking_id from chargeback_links where active group by 1 having count(*) > 1`,
  'a reversal is reported exactly if it waits for its chargeback': `
    select r.file_id, r.line, d.id from settlement_records r join record_matches m using (file_id, line)
    left join discrepancies d on d.file_id = r.file_id and d.line = r.line
      and d.code = 'REVERSAL_WITHOUT_CHARGEBACK' and d.resolved_run is null
    where r.reconciliation_type = 'CHARGEBACK REVERSAL'
      and (d.id is not null) is distinct from (r.settlement_status = 'SUCCESS' and m.status = 'MATCHED' and ${counts}
        and not exists (select from chargeback_links l
          join chargeback_links c on c.chargeback_id = l.chargeback_id and c.kind = 'CHARGEBACK' and c.active
          where l.file_id = r.file_id and l.line = r.line and l.active))`,
};
