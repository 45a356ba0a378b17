import type { Fragment, Tx } from '../../db/client.js';
import { isDivided } from '../../db/shards/is-divided.js';
import { fileIdsInScope, type RunScope } from '../../db/run-scope.js';
import { dateCell, freeTextCell, textCell, type Cell } from './csv-cells.js';
import { rowsInScope } from '../scope/rows-in-scope.js';
import { rowsAtOnce, type Table } from './write-table.js';

/** A chargeback as the report lists it. */
export interface Chargeback {
  chargeback_id: string;
  /** FAILED: no money was charged back. */
  status: 'OPEN' | 'REVERSED' | 'FAILED';
  payment_id: string | null;
  amount_minor: bigint;
  currency: string;
  reason_code: string | null;
  reason_desc: string | null;
  settlement_date: string;
  settlement_tx_id: string | null;
  /** The day of the last reversal. */
  reversed_on: string | null;
  /** The sum of the reversals, which may be another amount than that of the chargeback. */
  reversed_minor: bigint | null;
  reversed_currency: string | null;
  file: string;
  line: number;
}

const columns: readonly (readonly [name: string, cell: (row: Chargeback) => Cell])[] = [
  ['ChargebackId', (row) => textCell(row.chargeback_id)],
  ['Status', (row) => textCell(row.status)],
  ['PaymentId', (row) => textCell(row.payment_id)],
  ['Amount', (row) => row.amount_minor],
  ['Currency', (row) => textCell(row.currency)],
  ['ReasonCode', (row) => textCell(row.reason_code)],
  ['ReasonDesc', (row) => freeTextCell(row.reason_desc)],
  ['SettlementDate', (row) => dateCell(row.settlement_date)],
  ['SettlementTxId', (row) => textCell(row.settlement_tx_id)],
  ['ReversedOn', (row) => dateCell(row.reversed_on)],
  ['File', (row) => textCell(row.file)],
  ['Line', (row) => row.line],
  ['ReversedAmount', (row) => row.reversed_minor],
  ['ReversedCurrency', (row) => textCell(row.reversed_currency)],
];

/** `chargebacks.csv` of what {@link readChargebacks} read. */
export function chargebacksTable(chargebacks: AsyncIterable<readonly Chargeback[]>): Table {
  return { name: 'chargebacks', header: columns.map(([name]) => name), rows: cellsOf(chargebacks) };
}

async function* cellsOf(batches: AsyncIterable<readonly Chargeback[]>): AsyncGenerator<Cell[][]> {
  for await (const batch of batches) yield batch.map((row) => columns.map(([, cell]) => cell(row)));
}

/**
 * Each chargeback whose record or a linked reversal is in scope, with its present state, the day of its last reversal
 * and the sum of all. Of a record that `recon retire` or `recon purge` removed, its booking has them; a removed
 * chargeback is in scope with its reversal only.
 *
 * With `offset 0` the chargebacks are chosen before they are joined: otherwise the server looked up the record of every
 * chargeback that is stored, 6,778 instead of 96 in a database with 60 days. What belongs to each of them is looked up
 * too: in a join with stale statistics, each was compared with every reversal. Only with shards it is joined, because
 * each look-up would be a round trip. The few bookings of removed records are always looked up.
 */
export async function* readChargebacks(tx: Tx, scope: RunScope): AsyncGenerator<readonly Chargeback[]> {
  const isOnShards = await isDivided(tx);
  const once = isOnShards ? tx`` : tx`offset 0`;
  const fileIds = await fileIdsInScope(tx, scope);
  const ids = tx`select l.chargeback_id from (${rowsInScope(tx, scope, 'chargeback_links', fileIds)}) l`;
  yield* tx<Chargeback[]>`
    select cb.chargeback_id, case when cr.minor is not null then 'REVERSED'
        when r.settlement_status = 'FAILED' then 'FAILED' else 'OPEN' end as status,
      p.id as payment_id, coalesce(r.amount_minor, b.amount_minor) as amount_minor,
      coalesce(r.currency, b.currency) as currency, coalesce(r.reason_code, b.reason_code) as reason_code,
      r.reason_desc, coalesce(r.settlement_date, b.day)::text as settlement_date, r.settlement_tx_id,
      cr.day::text as reversed_on, cr.minor as reversed_minor, cr.currency as reversed_currency, f.name as file, cb.line
    from (
      select * from chargeback_links cb
      where cb.kind = 'CHARGEBACK' and cb.active and cb.chargeback_id in (${ids})
      offset 0) cb
    join settlement_files f on f.id = cb.file_id
    left join lateral (select r.settlement_status, r.amount_minor, r.currency, r.reason_code, r.reason_desc,
        r.settlement_date, r.settlement_tx_id, r.fingerprint, r.occurrence
      from settlement_records r where r.file_id = cb.file_id and r.line = cb.line ${once}) r on true
    left join lateral (${bookingOf(tx, tx`f`, tx`cb`)}) b on true
    left join lateral (select p.id from payments p where p.key = cb.payment_key ${once}) p on true
    left join ${
      isOnShards
        ? tx`(${reversals(tx, once)} and l.chargeback_id in (${ids})
      group by l.chargeback_id) cr on cr.chargeback_id = cb.chargeback_id`
        : tx`lateral (${reversals(tx, once)}
        and l.chargeback_id = cb.chargeback_id) cr on true`
    }
    order by coalesce(r.settlement_date, b.day), coalesce(r.settlement_tx_id, '') collate "C", r.fingerprint,
      r.occurrence, cb.chargeback_id collate "C"`.cursor(rowsAtOnce);
}

/** Selects the booking of a link if its record was removed with its file. */
const bookingOf = (tx: Tx, file: Fragment, link: Fragment): Fragment =>
  tx`select b.amount_minor, b.currency, b.result_code as reason_code,
        (b.requested_at at time zone 'UTC')::date as day
      from payments b where ${file}.status = 'retired' and b.id = ${link}.booking_id offset 0`;

/** Selects what reversals `l` returned, to be followed by a condition. Those of one chargeback have one currency. */
const reversals = (tx: Tx, once: Fragment): Fragment => tx`
      select max(l.chargeback_id) as chargeback_id, max(coalesce(r.settlement_date, b.day)) as day,
        sum(coalesce(r.amount_minor, b.amount_minor))::bigint as minor,
        max(coalesce(r.currency, b.currency)) as currency
      from chargeback_links l
      join settlement_files x on x.id = l.file_id
      left join lateral (select r.settlement_date, r.amount_minor, r.currency from settlement_records r
        where r.file_id = l.file_id and r.line = l.line ${once}) r on true
      left join lateral (${bookingOf(tx, tx`x`, tx`l`)}) b on true
      where l.kind = 'CHARGEBACK REVERSAL' and l.active`;
