import { withoutTableScans } from '../db/without-table-scans.js';
import type { Allowances } from './allowances.js';
import type { Fragment, Tx } from './fragment.js';
import {
  brandFits,
  isCandidate,
  sameAttributes,
  windowAround,
  type WeakerKeySettings,
} from './matching-keys.js';

/** So many records are looked up one by one: reading their payments once may take longer. */
const fewRecords = 10;

/**
 * Finds records that share account, last four digits, amount and currency with each other and with more payments than
 * may be found. Looked up one by one, each of them reads up to the limit of these payments, and all of them if their
 * brand or their type does not fit: 10,000 such records took PostgreSQL 12 s.
 *
 * So the payments of such attributes are read once, and numbered by time for each brand. How many of them a record
 * finds is the difference of two numbers.
 *
 * Makes `busy_attributes`, and if there are any `busy_records`, `busy_payments`, `busy_brands` and `busy_times`.
 *
 * @param records a select of the columns of `undecided_records`
 * @returns whether there are any
 */
export async function listBusyAttributes(
  tx: Tx,
  records: Fragment,
  settings: WeakerKeySettings,
): Promise<boolean> {
  const { attributes, allowances, maxPaymentsPerKey } = settings;
  const { windowHours } = attributes;
  const inWindows = tx`${sameAttributes(tx)}
      and p.requested_at between ${windowAround(tx, windowHours, tx`r.first_time`, tx`r.last_time`)}`;
  await withoutTableScans(
    tx,
    () => tx`create temp table busy_attributes on commit drop as
    select (row_number() over ())::integer as number, r.* from (
      select r.merchant_account_id, r.account_number_last4, r.amount_minor, r.currency,
        min(r.tx_request_time) as first_time, max(r.tx_request_time) as last_time
      from (${records}) r where r.account_number_last4 <> '' and r.tx_request_time is not null
      group by 1, 2, 3, 4 having count(*) > ${fewRecords}::integer) r
    where (select true from payments p where ${inWindows} offset ${maxPaymentsPerKey}::integer limit 1)`,
  );
  const [any] = await tx`select from busy_attributes limit 1`;
  if (any === undefined) return false;
  await tx`analyze busy_attributes`;
  await listRecords(tx, records);
  await listPayments(tx, inWindows);
  await listBrands(tx, allowances.brandAliases);
  await countPayments(tx, windowHours);
  return true;
}

/** Makes `busy_records`: the records with these attributes. */
async function listRecords(tx: Tx, records: Fragment): Promise<void> {
  await tx`create temp table busy_records on commit drop as
    select r.file_id, r.line, b.number, coalesce(r.brand, '') as brand, r.tx_request_time
    from (${records}) r
    join busy_attributes b on b.merchant_account_id = r.merchant_account_id
      and b.account_number_last4 = r.account_number_last4 and b.amount_minor = r.amount_minor
      and b.currency = r.currency
    where r.tx_request_time is not null`;
  await tx`create unique index on pg_temp.busy_records (file_id, line)`;
  await tx`analyze busy_records`;
}

/** Makes `busy_payments`: the payments with these attributes, numbered by time for each brand. */
async function listPayments(tx: Tx, inWindows: Fragment): Promise<void> {
  await withoutTableScans(
    tx,
    () => tx`create temp table busy_payments on commit drop as
    select r.number, coalesce(p.payment_brand, '') as payment_brand, p.requested_at,
      row_number() over (
        partition by r.number, coalesce(p.payment_brand, '') order by p.requested_at) as place,
      p.key, p.payment_type, p.outcome, p.amount_minor, p.currency
    from busy_attributes r
    cross join lateral (select p.* from payments p where ${inWindows} and ${isCandidate(tx)} offset 0) p`,
  );
  await tx`create index on pg_temp.busy_payments (number, payment_brand, requested_at, place)`;
  await tx`analyze busy_payments`;
}

/** Makes `busy_brands`: which brands of payments fit each brand of a record. */
async function listBrands(tx: Tx, brandAliases: Allowances['brandAliases']): Promise<void> {
  await tx`create temp table busy_brands on commit drop as
    select r.number, r.brand, p.payment_brand
    from (select distinct number, brand from busy_records) r
    join (select distinct number, payment_brand from busy_payments) p on p.number = r.number
    where ${brandFits(tx, brandAliases)}`;
  await tx`create index on pg_temp.busy_brands (number, brand)`;
  await tx`analyze busy_brands`;
}

/** Makes `busy_times`: how many payments fit the records of each time and brand. */
async function countPayments(tx: Tx, windowHours: number): Promise<void> {
  const window = tx`make_interval(secs => ${windowHours * 3600}::float8)`;
  const placeOfLast = (condition: Fragment) => tx`coalesce((
          select p.place from busy_payments p
          where p.number = t.number and p.payment_brand = k.payment_brand and ${condition}
          order by p.requested_at desc, p.place desc limit 1), 0)`;
  await withoutTableScans(
    tx,
    () => tx`create temp table busy_times on commit drop as
    select t.number, t.brand, t.tx_request_time, (
      select coalesce(sum(${placeOfLast(tx`p.requested_at <= t.tx_request_time + ${window}`)}
          - ${placeOfLast(tx`p.requested_at < t.tx_request_time - ${window}`)}), 0)
        from busy_brands k where k.number = t.number and k.brand = t.brand)::bigint as found
    from (select distinct number, brand, tx_request_time from busy_records) t`,
  );
  await tx`create index on pg_temp.busy_times (number, brand, tx_request_time)`;
  await tx`analyze busy_times`;
}

/** Whether record `r` is one of `busy_records`. */
export function hasBusyAttributes(tx: Tx): Fragment {
  return tx`exists (select from busy_records b where b.file_id = r.file_id and b.line = r.line)`;
}

/**
 * What those of `busy_records` find: the record, the payment and how many there are; of more than the limit, a row
 * without a payment.
 */
export function foundByBusyAttributes(tx: Tx, windowHours: number, limit: number): Fragment {
  return tx`select b.file_id, b.line, p.key, p.payment_type, p.outcome, p.amount_minor, p.currency, t.found,
      p.place as number, case when t.found > ${limit}::integer then t.found else 1 end as weight
    from busy_records b
    join busy_times t on t.number = b.number and t.brand = b.brand and t.tx_request_time = b.tx_request_time
    left join lateral (
      select p.* from busy_brands k
      cross join lateral (select p.* from busy_payments p
        where p.number = k.number and p.payment_brand = k.payment_brand
          and p.requested_at between ${windowAround(tx, windowHours, tx`b.tx_request_time`)} offset 0) p
      where k.number = b.number and k.brand = b.brand and t.found <= ${limit}::integer offset 0) p on true
    where t.found > 0`;
}
