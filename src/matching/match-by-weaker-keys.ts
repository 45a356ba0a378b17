import { isDivided } from '../db/shards/is-divided.js';
import { collectFromShards, type ShardInput } from '../db/shards/on-shards.js';
import { foundByBusyAttributes, hasBusyAttributes, listBusyAttributes } from './busy-attributes.js';
import { dropCrowded, unlessCrowded } from './crowded-values.js';
import { settlesAlone } from './fast-path.js';
import type { Fragment, Tx } from './fragment.js';
import { dropUnlinked } from './manual-links/apply-manual-links.js';
import {
  matchingKeys,
  type Alternative,
  type Identifier,
  type MatchingKey,
  type WeakerKeySettings,
} from './matching-keys.js';
import { narrowingColumns } from './narrowing.js';
import { withoutTableScans } from '../db/without-table-scans.js';

interface Circumstances {
  /** Whether there are `manual_links`. */
  readonly hasManualLinks: boolean;
}

/**
 * Lists in `key_hits` the payments that the weaker keys find for the undecided records (design 4.4), strongest key
 * first: a record for which one finds a payment is not looked up by the next.
 */
export async function matchByWeakerKeys(
  tx: Tx,
  settings: WeakerKeySettings,
  circumstances: Circumstances,
): Promise<void> {
  await tx`create temp table key_hits (file_id integer, line integer, matched_by matched_by,
    payment_key bigint, fits_type boolean, succeeded boolean, same_amount boolean,
    settles boolean, through_reference boolean) on commit drop`;
  await tx`create temp table decided_records (file_id integer, line integer, matched_by matched_by,
    primary key (file_id, line))
    on commit drop`;
  await tx`create temp table crowded_values (identifier text, value text collate "C", file_id integer, line integer)
    on commit drop`;
  for (const key of matchingKeys(tx, settings.attributes, settings.allowances.brandAliases)) {
    if (key.name !== 'UNIQUE_ID') await matchByKey(tx, key, settings, circumstances);
  }
}

/**
 * Finds payments for the records for which no stronger key has found any. Often there are none, and then the statements
 * about them, a dozen for each key, are not sent.
 */
async function matchByKey(
  tx: Tx,
  key: MatchingKey,
  settings: WeakerKeySettings,
  { hasManualLinks }: Circumstances,
): Promise<void> {
  const { maxPaymentsPerKey: limit } = settings;
  const isOnShards = await isDivided(tx);
  const [any] = await tx`select from undecided_records r where ${isUndecided(tx)} limit 1`;
  if (any === undefined) return;
  await tx`drop table if exists pg_temp.found_payments`;
  const selects: Fragment[] = [];
  let readsAll = false;
  for (const alternative of key.alternatives) {
    const { identifier, condition } = alternative;
    const isMany = identifier !== null && !isOnShards && (await hasManyValues(tx, identifier));
    readsAll ||= isMany;
    if (isMany) selects.push(allWithValues(tx, identifier, condition));
    else if (identifier !== null) selects.push(foundPayments(tx, identifier, condition, limit));
    else {
      const records = tx`select r.* from undecided_records r where ${isUndecided(tx)}`;
      // With shards, the payments with these attributes may be on any of them.
      const hasBusy = !isOnShards && (await listBusyAttributes(tx, records, settings));
      selects.push(foundByAttributes(tx, condition, settings, hasBusy));
    }
  }
  const found = unionOf(tx, selects);
  // Any shard may have such a payment: all are asked before the payments are counted and narrowed.
  if (isOnShards) await collectFromShards(tx, 'found_payments', found, keyInputs(tx));
  else await findPayments(tx, found, readsAll);
  await dropCrowded(tx, limit);
  await tx`create index on pg_temp.found_payments (value)`;
  await tx`analyze found_payments`;
  const hits = unionOf(
    tx,
    key.alternatives.map((alternative) => hitsOf(tx, alternative)),
  );
  // With shards, the results of the payments would have to be asked for, to know which of them have no other record.
  await tx`insert into key_hits
    select r.file_id, r.line, ${key.name}::matched_by, p.key, ${narrowingColumns(tx)},
      ${isOnShards ? tx`false` : settlesAlone(tx)} as settles
    from (${hits}) p
    join undecided_records r on r.file_id = p.file_id and r.line = p.line`;
  if (hasManualLinks) await dropUnlinked(tx, 'key_hits');
  // In the order of the index: in any other order, a million of them take 4 s more.
  await tx`insert into decided_records
    select distinct file_id, line, ${key.name}::matched_by from key_hits
    where matched_by = ${key.name}::matched_by order by file_id, line`;
}

/**
 * Makes `found_payments`.
 *
 * @param readsAll whether the payments are read once, instead of a look-up for each value
 */
async function findPayments(tx: Tx, found: Fragment, readsAll: boolean): Promise<void> {
  const make = () => tx`create temp table found_payments on commit drop as ${found}`;
  await (readsAll ? make() : withoutTableScans(tx, make));
}

/** `union` also drops the payments that several alternatives find. */
const unionOf = (tx: Tx, selects: readonly Fragment[]): Fragment =>
  selects.reduce((all, more) => tx`${all} union ${more}`);

const isUndecided = (tx: Tx): Fragment => tx`not exists (
  select from decided_records d where d.file_id = r.file_id and d.line = r.line)`;

/** What narrowing reads of a payment. */
const narrowedColumns = (tx: Tx): Fragment =>
  tx`p.key, p.payment_type, p.outcome, p.amount_minor, p.currency`;

/** The payments of each value of an identifier. A value is looked up once, however many records have it. */
function foundPayments(tx: Tx, identifier: Identifier, condition: Fragment, limit: number): Fragment {
  const column = tx(identifier);
  return tx`select ${identifier}::text as identifier, r.${column} as value, null::integer as file_id,
      null::integer as line, p.*
    from (select distinct r.${column} from undecided_records r
      where r.${column} <> '' and ${isUndecided(tx)}) r
    cross join lateral ${fewPayments(tx, condition, limit)} p`;
}

const fewPayments = (tx: Tx, condition: Fragment, limit: number): Fragment =>
  unlessCrowded(tx, tx`select ${narrowedColumns(tx)} from payments p where ${condition}`, limit);

/** The payments whose attributes agree with each record. */
function foundByAttributes(
  tx: Tx,
  condition: Fragment,
  { attributes, maxPaymentsPerKey: limit }: WeakerKeySettings,
  hasBusy: boolean,
): Fragment {
  const columns = tx`null::text as identifier, null::text collate "C" as value`;
  const looked = (chosen: Fragment) => tx`select ${columns}, r.file_id, r.line, p.*
      from undecided_records r
      cross join lateral ${fewPayments(tx, condition, limit)} p
      where ${isUndecided(tx)} ${chosen}`;
  if (!hasBusy) return looked(tx``);
  return tx`${looked(tx`and not ${hasBusyAttributes(tx)}`)}
    union all
    select ${columns}, b.* from (${foundByBusyAttributes(tx, attributes.windowHours, limit)}) b`;
}

/**
 * Whether so many records have a value of an identifier that reading all payments once is faster than looking each
 * value up: 1.6 instead of 2.3 s for 240,000 values and 2,000,000 payments, and 2.8 instead of 9 s for 950,000. Files
 * without UniqueIDs are like this.
 */
async function hasManyValues(tx: Tx, identifier: Identifier): Promise<boolean> {
  const [row] = await tx<{ many: boolean }[]>`
    select 10 * count(*) > (select reltuples from pg_class where oid = 'payments'::regclass) as many
    from undecided_records r where r.${tx(identifier)} <> '' and ${isUndecided(tx)}`;
  return row?.many === true;
}

/** The payments of each value, as a join; a value of too many payments is found by their number. */
function allWithValues(tx: Tx, identifier: Identifier, condition: Fragment): Fragment {
  const column = tx(identifier);
  return tx`select ${identifier}::text as identifier, r.${column} as value, null::integer as file_id,
      null::integer as line, ${narrowedColumns(tx)}, null::bigint as found, null::bigint as number, 1::bigint as weight
    from (select distinct r.${column} from undecided_records r
      where r.${column} <> '' and ${isUndecided(tx)}) r
    join payments p on ${condition}`;
}

/** The pairs of records and found payments. */
function hitsOf(tx: Tx, { identifier }: Alternative): Fragment {
  const columns = narrowedColumns(tx);
  if (identifier === null) return tx`select p.file_id, p.line, ${columns} from found_payments p`;
  return tx`select r.file_id, r.line, ${columns} from undecided_records r
    join found_payments p on p.value = r.${tx(identifier)} and p.identifier = ${identifier}
    where ${isUndecided(tx)}`;
}

/** What a key reads besides payments. */
function keyInputs(tx: Tx): ShardInput[] {
  return [
    {
      name: 'undecided_records',
      columns: `file_id integer, line integer, reconciliation_type text collate "C",
        payment_type text collate "C", short_id text collate "C", connector_tx_id1 text collate "C",
        connector_tx_id2 text collate "C", connector_tx_id3 text collate "C", merchant_account_id text collate "C",
        account_number_last4 text collate "C", amount_minor bigint, currency text collate "C",
        tx_request_time timestamptz, brand text collate "C"`,
      rows: tx`select r.file_id, r.line, r.reconciliation_type, r.payment_type, r.short_id,
          r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3, r.merchant_account_id, r.account_number_last4,
          r.amount_minor, r.currency, r.tx_request_time, r.brand
        from undecided_records r where ${isUndecided(tx)}`,
    },
    // Empty, because the shards get only undecided records, but the statement refers to it.
    {
      name: 'decided_records',
      columns: 'file_id integer, line integer',
      rows: tx`select file_id, line from decided_records where false`,
    },
  ];
}
