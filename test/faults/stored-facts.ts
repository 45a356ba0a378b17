import type { IntakeScene } from './intake-scene.js';

/**
 * What a scene knows in the end, in words that depend neither on numbers of runs and files nor on the lines in
 * which rows stood: two ways of delivering the same records must end in the same words.
 */
export async function factsOf({ database: { database } }: IntakeScene): Promise<Record<string, string[]>> {
  const { sql } = database;
  const lines = async (rows: Promise<readonly { reported: string }[]>) =>
    (await rows).map(({ reported }) => reported);
  return {
    records: await lines(sql<{ reported: string }[]>`
      select concat_ws(' ', r.fingerprint, r.occurrence, m.status, m.matched_by, p.id, l.chargeback_id, l.booking_id,
        (select string_agg(cp.id, ',' order by cp.id) from match_candidates c
          join payments cp on cp.key = c.payment_key where c.file_id = r.file_id and c.line = r.line)) as reported
      from settlement_records r
      left join record_matches m using (file_id, line)
      left join payments p on p.key = m.payment_key
      left join chargeback_links l using (file_id, line)
      order by 1`),
    rejected: await lines(sql<{ reported: string }[]>`
      select concat_ws(' ', raw_text, issues) as reported from rejected_rows order by 1`),
    discrepancies: await lines(sql<{ reported: string }[]>`
      select concat_ws(' ', d.id, d.code, r.fingerprint, r.occurrence, p.id, d.expected, d.actual,
        d.difference_minor, d.message) as reported
      from discrepancies d
      left join settlement_records r using (file_id, line)
      left join payments p on p.key = d.payment_key
      where d.resolved_run is null order by 1`),
    bookings: await lines(sql<{ reported: string }[]>`
      select concat_ws(' ', id, payment_type, amount_minor, currency) as reported from payments
      where payment_type in ('CB', 'CR') order by 1`),
  };
}
