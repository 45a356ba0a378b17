/** The columns of a settlement file, as the references store them, in the order of the file. */
export const referenceColumns = [
  'reconciliation_type',
  'payment_type',
  'cashflow',
  'ci_merchant_id',
  'merchant_account_id',
  'merchant_account_name',
  'psp_id',
  'division_id',
  'merchant_id',
  'settlement_tx_id',
  'unique_id',
  'short_id',
  'connector_tx_id1',
  'connector_tx_id2',
  'connector_tx_id3',
  'amount',
  'currency',
  'brand',
  'tx_request_time',
  'settlement_amount',
  'settlement_currency',
  'settlement_fee',
  'settlement_fx_rate',
  'settlement_date',
  'settlement_status',
  'descriptor',
  'last4',
  'bank_code',
  'account_holder',
  'reason_code',
  'reason_desc',
  'file_format',
  'ci_name',
  'claimed_status',
  'claimed_matches',
  'claimed_chargeback',
] as const;

const typed: Partial<Record<(typeof referenceColumns)[number], string>> = {
  amount: 'numeric(12,2)',
  settlement_amount: 'numeric(12,2)',
  settlement_fee: 'numeric(12,2)',
  settlement_fx_rate: 'numeric(12,2)',
  settlement_date: 'date',
  tx_request_time: 'timestamptz',
};

/** Name and type of each stored column; `text` is the engine's type for a text that is compared byte by byte. */
export function referenceTypes(text: string): readonly (readonly [name: string, type: string])[] {
  return [
    ['line', 'int'],
    ...referenceColumns.map((name): readonly [string, string] => [name, typed[name] ?? text]),
  ];
}

/**
 * Matching for a reference: `native_records` with `payments` into `native_matches`, by plain SQL that PostgreSQL and
 * DuckDB both execute. Three keys in their order, and the two steps of narrowing that the generated data need, so that
 * every row gets the answer that recon gives. A fee that is charged to the account has no payment and no status.
 */
export const matchStatements: readonly string[] = [
  'create table native_matches (line int, status text, payment_ids text)',
  `insert into native_matches select r.line, 'MATCHED', p.id
    from native_records r join payments p on p.id = r.unique_id`,
  `create temp table rest as select r.* from native_records r
    where not exists (select 1 from native_matches m where m.line = r.line)`,
  'analyze rest',
  `create temp table hits as select r.line, p.id, p.outcome = 'SUCCESS' as succeeded,
      p.amount_minor = r.amount * 100 and p.currency = r.currency as same_amount
    from rest r join payments p on p.short_id = r.short_id`,
  `insert into hits select r.line, p.id, p.outcome = 'SUCCESS', p.amount_minor = r.amount * 100 and p.currency = r.currency
    from (
      select r.line, p.id from rest r join payments p on p.connector_tx_id1 = r.connector_tx_id1
      union
      select r.line, p.id from rest r join payments p on p.connector_tx_id2 = r.connector_tx_id2
    ) found join rest r on r.line = found.line join payments p on p.id = found.id
    where not exists (select 1 from hits h where h.line = found.line)`,
  `insert into native_matches
    select line, case when count(*) = 1 then 'MATCHED' else 'MULTIPLE_MATCHES' end, string_agg(id, ',' order by id)
    from (
      select h.*, bool_or(same_amount) over (partition by line) as any_amount from (
        select h.*, bool_or(succeeded) over (partition by line) as any_success from hits h
      ) h where succeeded or not any_success
    ) h where same_amount or not any_amount group by line`,
  `insert into native_matches
    select line, case when reconciliation_type = 'FEE' and payment_type = 'MONTHLY' then null else 'NOT_MATCHED' end, null
    from rest r where not exists (select 1 from native_matches m where m.line = r.line)`,
];

/** The reconciled rows; `time` shows a stored time as the file does. */
export function reconciledQuery(time: (column: string) => string): string {
  const cells = referenceColumns.slice(0, 33).map((name) => (name === 'tx_request_time' ? time(name) : name));
  return `select ${cells.join(', ')}, m.status, m.payment_ids, null
    from native_records r join native_matches m using (line) order by line`;
}

/** The rows that somebody has to look at, as far as status, amount and currency tell. */
export const differencesQuery = `select r.line, m.status, m.payment_ids, r.amount, p.amount_minor
  from native_records r join native_matches m using (line) left join payments p on p.id = m.payment_ids
  where m.status <> 'MATCHED' or r.amount * 100 <> p.amount_minor or r.currency <> p.currency order by line`;
