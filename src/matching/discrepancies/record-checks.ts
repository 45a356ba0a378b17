import { amountText, type Fragment, type Tx } from '../fragment.js';
import type { Check } from './check.js';
import { takesPart } from '../deliveries/takes-part.js';
import { crowdedFamilySentence } from '../choose-of-families.js';
import { crowdedSentence } from '../crowded-values.js';
import type { AttributeSettings } from '../matching-keys.js';
import { fxCheck } from './fx-check.js';

/**
 * The checks that need only the record and the result of its match.
 *
 * @param attributes whether records are matched by their attributes
 */
export function recordChecks(tx: Tx, attributes: Pick<AttributeSettings, 'enabled'>): Check[] {
  return [
    ...matchChecks(tx, attributes),
    ...settlementChecks(tx),
    fxCheck(tx),
    ...chargebackRecordChecks(tx),
  ];
}

const amountOf = (tx: Tx): Fragment => tx`${amountText(tx, tx`r.amount_minor`)} || ' ' || r.currency`;

function matchChecks(tx: Tx, attributes: Pick<AttributeSettings, 'enabled'>): Check[] {
  const references = tx`nullif(concat_ws(', ', 'UniqueID ' || nullif(r.unique_id, ''),
    'ShortId ' || nullif(r.short_id, ''), 'ConnectorTxId1 ' || nullif(r.connector_tx_id1, ''),
    'ConnectorTxId2 ' || nullif(r.connector_tx_id2, ''), 'ConnectorTxId3 ' || nullif(r.connector_tx_id3, '')), '')`;
  const isMatched = tx`m.status <> 'NOT_APPLICABLE'`;
  const found = tx`(case m.status when 'MATCHED' then 'one payment' when 'NOT_MATCHED' then 'none' else (
    select count(*) from match_candidates c where c.file_id = r.file_id and c.line = r.line) || ' payments' end)`;
  return [
    {
      code: 'NOT_MATCHED',
      applies: isMatched,
      wrong: tx`m.status = 'NOT_MATCHED'`,
      expected: tx`'one payment'`,
      actual: found,
      message: tx`format('No stored payment belongs to this record of %s (%s).%s%s%s', ${amountOf(tx)},
        coalesce(${references}, 'it carries no payment reference, ' || ${whyNoAttributes(tx, attributes)}),
        ${crowdedSentence(tx)}, ${crowdedFamilySentence(tx)}, ${unlinkedFrom(tx)})`,
    },
    {
      code: 'MULTIPLE_MATCHES',
      applies: isMatched,
      wrong: tx`m.status = 'MULTIPLE_MATCHES'`,
      expected: tx`'one payment'`,
      actual: found,
      message: tx`format('This record of %s fits %s payments equally well and was matched to none of them: %s.%s',
        ${amountOf(tx)}, (select count(*) from match_candidates c where c.file_id = r.file_id and c.line = r.line),
        ${firstCandidates(tx)}, ${crowdedFamilySentence(tx)})`,
    },
  ];
}

/** Why the last key found no payment for record `r`: it may lack what the key needs, as `recon explain` says too. */
function whyNoAttributes(tx: Tx, { enabled }: Pick<AttributeSettings, 'enabled'>): Fragment {
  if (!enabled) return tx`'and matching by attributes is off'`;
  const missing = tx`nullif(concat_ws(' and ',
    case when coalesce(r.account_number_last4, '') = '' then 'AccountNumberLast4' end,
    case when r.tx_request_time is null then 'TxRequestTime' end), '')`;
  return tx`coalesce('and without ' || ${missing} || ' it is not looked up by account, amount and time',
    'and account, amount and time find none')`;
}

/**
 * The payments that people unlinked record `r` from, as a sentence: the references above may name one of them, which is
 * stored. The first list is read once for all records, since hardly any record was unlinked.
 */
function unlinkedFrom(tx: Tx): Fragment {
  return tx`case when (r.file_id, r.line) in (select a.file_id, a.line from applied_links a where a.kind = 'unlink')
    then (select format(' It was unlinked from payment %s.', string_agg(paid.id, ', ' order by paid.id collate "C"))
      from applied_links a join payments paid on paid.key = a.payment_key
      where a.file_id = r.file_id and a.line = r.line and a.kind = 'unlink') else '' end`;
}

/** The first ten candidates, and how many more there are: MatchedTransactions and `recon explain` have all of them. */
function firstCandidates(tx: Tx): Fragment {
  return tx`(select array_to_string((array_agg(paid.id order by paid.id collate "C"))[1:10], ', ') ||
      case when count(*) > 10 then format(' and %s more', count(*) - 10) else '' end
    from match_candidates c join payments paid on paid.key = c.payment_key
    where c.file_id = r.file_id and c.line = r.line)`;
}

function settlementChecks(tx: Tx): Check[] {
  const direction = tx`(case
    when r.reconciliation_type = 'CHARGEBACK REVERSAL' then 'POS'
    when r.reconciliation_type = 'CHARGEBACK' then 'NEG'
    when r.reconciliation_type <> 'SETTLED' then null
    when r.payment_type = 'DEBIT' then 'POS'
    when r.payment_type in ('CREDIT', 'REFUND') then 'NEG' end)`;
  return [
    {
      code: 'CASHFLOW_MISMATCH',
      applies: tx`${direction} is not null`,
      wrong: tx`r.cashflow <> ${direction}`,
      expected: direction,
      actual: tx`r.cashflow`,
      message: tx`format('The file says that %s %s (%s), but a %s %s.', ${amountOf(tx)},
        case r.cashflow when 'POS' then 'came in' else 'went out' end, r.cashflow,
        case when r.reconciliation_type = 'SETTLED' then 'settled ' || lower(r.payment_type)
          else lower(r.reconciliation_type) end,
        case ${direction} when 'POS' then 'brings money in (POS)' else 'takes money out (NEG)' end)`,
    },
    {
      code: 'SETTLEMENT_FAILED',
      applies: tx`true`,
      wrong: tx`(r.settlement_status = 'FAILED' and e.line is null)`,
      mayBeWrong: tx`r.settlement_status = 'FAILED'`,
      expected: tx`'SUCCESS'`,
      actual: tx`r.settlement_status`,
      message: tx`format('The clearing institute reports that this settlement of %s failed: the money did not move.',
        ${amountOf(tx)})`,
    },
  ];
}

function chargebackRecordChecks(tx: Tx): Check[] {
  return [
    {
      code: 'CHARGEBACK_WITHOUT_REASON',
      applies: tx`r.reconciliation_type = 'CHARGEBACK'`,
      wrong: tx`coalesce(r.reason_code, '') = ''`,
      expected: tx`'a reason code'`,
      actual: tx`coalesce(nullif(r.reason_code, ''), 'none')`,
      message: tx`format('This chargeback of %s names no reason code.', ${amountOf(tx)})`,
    },
    {
      code: 'REVERSAL_WITHOUT_CHARGEBACK',
      applies: tx`(r.reconciliation_type = 'CHARGEBACK REVERSAL' and m.status = 'MATCHED'
        and r.settlement_status = 'SUCCESS')`,
      wrong: tx`(not exists (${reversedChargeback(tx)}) and ${takesPart(tx)})`,
      mayBeWrong: tx`true`,
      expected: tx`'an open chargeback'`,
      actual: tx`coalesce((${reversedChargeback(tx)}), 'none')`,
      message: tx`format('%s of a chargeback was returned, but ' || case when exists (select from chargeback_links c
          where c.payment_key = m.payment_key and c.kind = 'CHARGEBACK' and c.active)
          then 'no chargeback of payment %s has that much left.' else 'payment %s has no open chargeback.' end,
        ${amountOf(tx)}, p.id)`,
    },
  ];
}

/** The id of the chargeback that reversal `r` is linked to; none while one of the two does not count. */
function reversedChargeback(tx: Tx): Fragment {
  return tx`select l.chargeback_id from chargeback_links l
    join chargeback_links taken on taken.chargeback_id = l.chargeback_id and taken.kind = 'CHARGEBACK' and taken.active
    where l.file_id = r.file_id and l.line = r.line and l.active`;
}
