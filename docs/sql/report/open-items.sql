-- Reads open-items.csv: every open item of the database with its decision, pattern and suggested link.
select
  unnest(
    case
      when octet_length(w.line) <= $1::integer then array[w.line]
      else array(
        select
          case
            when at + $2::integer > octet_length(b.bytes) then $3
            else $4
          end || encode(
            substring(
              b.bytes
              from
                at for $5::integer
            ),
            'hex'
          )
        from
          (
            select
              convert_to(w.line, 'UTF8') as bytes
            offset
              0
          ) b
          cross join lateral generate_series(1, octet_length(b.bytes), $6::integer) at
        order by
          at
      )
    end
  ) as line
from
  (
    with
      unresolved as materialized (
        select
          i.*,
          case
            when status <> 'ACCEPTED' then concat_ws(
              chr(31),
              code,
              coalesce(merchant_account_id, ''),
              (
                case
                  when expected is null then ''
                  when length(expected) < 8
                  or expected ~ '^-?[0-9]+[.][0-9]{2}( [A-Z]{3})?$' then expected
                  else regexp_replace(expected, $7, '…', 'g')
                end
              ),
              (
                case
                  when actual is null then ''
                  when length(actual) < 8
                  or actual ~ '^-?[0-9]+[.][0-9]{2}( [A-Z]{3})?$' then actual
                  else regexp_replace(actual, $8, '…', 'g')
                end
              )
            )
          end as cause
        from
          (
            select
              d.id,
              d.code,
              d.severity,
              (
                case
                  when d.code = 'FX_MISMATCH' then d.expected || ' ' || r.settlement_currency
                  else d.expected
                end
              ) as expected,
              (
                case
                  when d.code = 'FX_MISMATCH' then d.actual || ' ' || r.settlement_currency
                  else d.actual
                end
              ) as actual,
              d.message,
              d.first_seen_run,
              d.resolved_run,
              (
                case
                  when d.resolved_run is not null then 'RESOLVED'
                  when s.number is null then 'OPEN'
                  when s.kind = 'accept'
                  and s.basis = left(
                    encode(
                      sha256(
                        convert_to(
                          concat_ws(
                            chr(31),
                            coalesce(d.expected, ''),
                            coalesce(d.actual, ''),
                            coalesce(d.difference_minor::text, ''),
                            coalesce(
                              (
                                case
                                  when m.status = 'MULTIPLE_MATCHES' then (
                                    select
                                      string_agg(
                                        paid.id,
                                        ','
                                        order by
                                          paid.id collate "C"
                                      )
                                    from
                                      match_candidates c
                                      join payments paid on paid.key = c.payment_key
                                    where
                                      c.file_id = m.file_id
                                      and c.line = m.line
                                  )
                                  else p.id
                                end
                              ),
                              ''
                            )
                          ),
                          'UTF8'
                        )
                      ),
                      'hex'
                    ),
                    16
                  )
                  and (
                    not s.needs_approval
                    or exists (
                      select
                      from
                        decisions ok
                      where
                        ok.item = d.id
                        and ok.kind = 'approve'
                        and ok.refers_to = s.number
                        and (
                          (
                            select
                              u.number
                            from
                              decisions u
                            where
                              u.kind = 'undo'
                              and u.refers_to = ok.number
                          ) is null
                        )
                    )
                  ) then 'ACCEPTED'
                  when s.kind = 'wait'
                  and s.until > $9::date
                  and s.basis = left(
                    encode(
                      sha256(
                        convert_to(
                          concat_ws(
                            chr(31),
                            coalesce(d.expected, ''),
                            coalesce(d.actual, ''),
                            coalesce(d.difference_minor::text, ''),
                            coalesce(
                              (
                                case
                                  when m.status = 'MULTIPLE_MATCHES' then (
                                    select
                                      string_agg(
                                        paid.id,
                                        ','
                                        order by
                                          paid.id collate "C"
                                      )
                                    from
                                      match_candidates c
                                      join payments paid on paid.key = c.payment_key
                                    where
                                      c.file_id = m.file_id
                                      and c.line = m.line
                                  )
                                  else p.id
                                end
                              ),
                              ''
                            )
                          ),
                          'UTF8'
                        )
                      ),
                      'hex'
                    ),
                    16
                  ) then 'WAITING'
                  else 'OPEN'
                end
              ) as status,
              (
                case
                  when s.number is null
                  or d.resolved_run is not null then false
                  else coalesce(
                    s.basis <> left(
                      encode(
                        sha256(
                          convert_to(
                            concat_ws(
                              chr(31),
                              coalesce(d.expected, ''),
                              coalesce(d.actual, ''),
                              coalesce(d.difference_minor::text, ''),
                              coalesce(
                                (
                                  case
                                    when m.status = 'MULTIPLE_MATCHES' then (
                                      select
                                        string_agg(
                                          paid.id,
                                          ','
                                          order by
                                            paid.id collate "C"
                                        )
                                      from
                                        match_candidates c
                                        join payments paid on paid.key = c.payment_key
                                      where
                                        c.file_id = m.file_id
                                        and c.line = m.line
                                    )
                                    else p.id
                                  end
                                ),
                                ''
                              )
                            ),
                            'UTF8'
                          )
                        ),
                        'hex'
                      ),
                      16
                    )
                    and (
                      s.kind = 'accept'
                      or (
                        s.kind = 'wait'
                        and s.until > $10::date
                      )
                    ),
                    false
                  )
                end
              ) as lapsed,
              (
                case
                  when s.number is null
                  or d.resolved_run is not null then false
                  else coalesce(
                    s.kind = 'accept'
                    and s.needs_approval
                    and s.basis = left(
                      encode(
                        sha256(
                          convert_to(
                            concat_ws(
                              chr(31),
                              coalesce(d.expected, ''),
                              coalesce(d.actual, ''),
                              coalesce(d.difference_minor::text, ''),
                              coalesce(
                                (
                                  case
                                    when m.status = 'MULTIPLE_MATCHES' then (
                                      select
                                        string_agg(
                                          paid.id,
                                          ','
                                          order by
                                            paid.id collate "C"
                                        )
                                      from
                                        match_candidates c
                                        join payments paid on paid.key = c.payment_key
                                      where
                                        c.file_id = m.file_id
                                        and c.line = m.line
                                    )
                                    else p.id
                                  end
                                ),
                                ''
                              )
                            ),
                            'UTF8'
                          )
                        ),
                        'hex'
                      ),
                      16
                    )
                    and not exists (
                      select
                      from
                        decisions ok
                      where
                        ok.item = d.id
                        and ok.kind = 'approve'
                        and ok.refers_to = s.number
                        and (
                          (
                            select
                              u.number
                            from
                              decisions u
                            where
                              u.kind = 'undo'
                              and u.refers_to = ok.number
                          ) is null
                        )
                    ),
                    false
                  )
                end
              ) as pending,
              case
                when (
                  d.code = 'CURRENCY_MISMATCH'
                  or r.file_id is null
                ) then coalesce(p.amount_minor, r.amount_minor)
                else r.amount_minor
              end as amount_minor,
              case
                when (
                  d.code = 'CURRENCY_MISMATCH'
                  or r.file_id is null
                ) then coalesce(p.currency, r.currency)
                else r.currency
              end as currency,
              coalesce(
                (
                  case
                    when d.code = 'MISSING_SETTLEMENT' then case
                      when (
                        case
                          when r.file_id is null
                          or r.reconciliation_type = 'SETTLED' then (
                            case
                              when p.payment_type in ('DB', 'CP') then true
                              when p.payment_type in ('CD', 'RF') then false
                              else r.payment_type = 'DEBIT'
                            end
                          )
                          else r.cashflow = 'POS'
                        end
                      ) then p.amount_minor
                      else - p.amount_minor
                    end
                    when d.code = 'SETTLEMENT_FAILED' then case
                      when (
                        case
                          when r.file_id is null
                          or r.reconciliation_type = 'SETTLED' then (
                            case
                              when p.payment_type in ('DB', 'CP') then true
                              when p.payment_type in ('CD', 'RF') then false
                              else r.payment_type = 'DEBIT'
                            end
                          )
                          else r.cashflow = 'POS'
                        end
                      ) then r.amount_minor
                      else - r.amount_minor
                    end
                    when d.code = 'AMOUNT_MISMATCH' then case
                      when (
                        case
                          when r.file_id is null
                          or r.reconciliation_type = 'SETTLED' then (
                            case
                              when p.payment_type in ('DB', 'CP') then true
                              when p.payment_type in ('CD', 'RF') then false
                              else r.payment_type = 'DEBIT'
                            end
                          )
                          else r.cashflow = 'POS'
                        end
                      ) then - d.difference_minor
                      else d.difference_minor
                    end
                    when d.code = 'CHARGEBACK_EXCEEDS_PAYMENT' then d.difference_minor
                    when d.code = 'CURRENCY_MISMATCH' then p.amount_minor
                    when d.code in ($11, $12, $13, $14, $15, $16, $17) then case r.cashflow
                      when 'POS' then - r.amount_minor
                      else r.amount_minor
                    end
                  end
                ),
                0
              ) as at_risk_minor,
              seen.as_of as since,
              greatest($18::date - seen.as_of, 0) as age_days,
              coalesce(r.merchant_account_id, p.entity_id) as merchant_account_id,
              coalesce(r.payment_type, p.payment_type) as payment_type,
              coalesce(r.settlement_date, (p.requested_at at time zone $19)::date) as date,
              d.file_id,
              d.line,
              m.status as matching_status,
              m.payment_key as matched_payment_key,
              coalesce(d.payment_key, m.payment_key) as payment_key,
              p.id as payment_id,
              p.merchant_transaction_id,
              f.name as file,
              f.source,
              r.reconciliation_type,
              r.settlement_tx_id,
              r.clearing_institute_name,
              s.number as standing,
              s.kind::text as decision,
              s.until,
              s.payment_key as link_key,
              s.reason,
              s.author as decided_by,
              s.decided_on,
              nullif(assigned.assignee, '') as assignee,
              noted.note,
              coalesce(h.last_number, 0) as last_number,
              left(
                encode(
                  sha256(
                    convert_to(
                      concat_ws(
                        chr(31),
                        coalesce(d.expected, ''),
                        coalesce(d.actual, ''),
                        coalesce(d.difference_minor::text, ''),
                        coalesce(
                          (
                            case
                              when m.status = 'MULTIPLE_MATCHES' then (
                                select
                                  string_agg(
                                    paid.id,
                                    ','
                                    order by
                                      paid.id collate "C"
                                  )
                                from
                                  match_candidates c
                                  join payments paid on paid.key = c.payment_key
                                where
                                  c.file_id = m.file_id
                                  and c.line = m.line
                              )
                              else p.id
                            end
                          ),
                          ''
                        )
                      ),
                      'UTF8'
                    )
                  ),
                  'hex'
                ),
                16
              ) as facts
            from
              (
                select
                  *
                from
                  discrepancies
                where
                  not is_settled
                union all
                select
                  d.*
                from
                  (
                    select distinct
                      unnest(
                        array(
                          select
                            item
                          from
                            decisions
                          where
                            number > coalesce(
                              (
                                select
                                  last_decision
                                from
                                  accept_checks
                              ),
                              0
                            )
                          union all
                          select
                            o.id
                          from
                            (
                              select
                                p.key
                              from
                                payments p
                              where
                                p.id in (
                                  select
                                    payment_id
                                  from
                                    payment_changes
                                  where
                                    column_name in ('Amount', 'Currency', 'PaymentType')
                                )
                            ) k
                            join discrepancies o on o.payment_key = k.key
                            and o.resolved_run is null
                            and o.file_id is null
                          union all
                          select
                            o.id
                          from
                            (
                              select
                                p.key
                              from
                                payments p
                              where
                                p.id in (
                                  select
                                    payment_id
                                  from
                                    payment_changes
                                  where
                                    column_name in ('Amount', 'Currency', 'PaymentType')
                                )
                            ) k
                            join record_matches m on m.payment_key = k.key
                            join discrepancies o on o.file_id = m.file_id
                            and o.line = m.line
                        )
                      ) as id
                  ) doubted
                  join discrepancies d on d.id = doubted.id
                where
                  d.is_settled
                  and d.resolved_run is null
              ) d
              left join runs seen on seen.id = d.first_seen_run
              left join settlement_files f on f.id = d.file_id
              left join lateral (
                select
                  r.*
                from
                  settlement_records r
                where
                  r.file_id = d.file_id
                  and r.line = d.line
                limit
                  1
              ) r on true
              left join record_matches m on m.file_id = d.file_id
              and m.line = d.line
              left join payments p on p.key = coalesce(d.payment_key, m.payment_key)
              left join lateral (
                select
                  max(number) as last_number,
                  max(number) filter (
                    where
                      active
                      and kind::text in ($20, $21, $22, $23, $24, $25)
                  ) as standing,
                  max(number) filter (
                    where
                      active
                      and kind = 'assign'
                  ) as assigned,
                  max(number) filter (
                    where
                      active
                      and note is not null
                  ) as noted
                from
                  (
                    select
                      o.number,
                      o.kind,
                      o.note,
                      (
                        (
                          select
                            u.number
                          from
                            decisions u
                          where
                            u.kind = 'undo'
                            and u.refers_to = o.number
                        ) is null
                      ) as active
                    from
                      decisions o
                    where
                      o.item = d.id
                    offset
                      0
                  ) o
              ) h on true
              left join decisions s on s.number = h.standing
              left join decisions assigned on assigned.number = h.assigned
              left join decisions noted on noted.number = h.noted
            where
              true
            offset
              0
          ) i
      ),
      patterns as (
        select
          cause,
          'p' || left(encode(sha256(convert_to(cause, 'UTF8')), 'hex'), 12) as pattern
        from
          unresolved
        where
          cause is not null
        group by
          cause
        having
          count(*) > $26
      ),
      links as (
        with
          paired as materialized (
            select
              *
            from
              (
                select
                  id,
                  n,
                  case
                    when is_record then count(*) filter (
                      where
                        not is_record
                    ) over near
                    else count(*) filter (
                      where
                        is_record
                    ) over near
                  end as partners,
                  (
                    case
                      when is_record then sum(n) filter (
                        where
                          not is_record
                      ) over near
                      else sum(n) filter (
                        where
                          is_record
                      ) over near
                    end
                  )::bigint as partner
                from
                  (
                    select
                      i.id,
                      i.code = 'NOT_MATCHED' as is_record,
                      i.merchant_account_id,
                      i.currency,
                      i.amount_minor,
                      (
                        case
                          when i.code = 'NOT_MATCHED'
                          and i.reconciliation_type = 'SETTLED' then i.payment_type
                          when i.code <> 'MISSING_SETTLEMENT' then null
                          when i.payment_type in ('DB', 'CP') then 'DEBIT'
                          when i.payment_type = 'CD' then 'CREDIT'
                          when i.payment_type = 'RF' then 'REFUND'
                        end
                      ) as settled_type,
                      i.date - date '2000-01-01' as day,
                      row_number() over () as n
                    from
                      (
                        select
                          *
                        from
                          unresolved
                        where
                          cause is not null
                      ) i
                    where
                      i.code in ('NOT_MATCHED', 'MISSING_SETTLEMENT')
                      and (
                        case
                          when i.code = 'NOT_MATCHED'
                          and i.reconciliation_type = 'SETTLED' then i.payment_type
                          when i.code <> 'MISSING_SETTLEMENT' then null
                          when i.payment_type in ('DB', 'CP') then 'DEBIT'
                          when i.payment_type = 'CD' then 'CREDIT'
                          when i.payment_type = 'RF' then 'REFUND'
                        end
                      ) is not null
                  ) i
                window
                  near as (
                    partition by
                      merchant_account_id,
                      currency,
                      amount_minor,
                      settled_type
                    order by
                      day range between $27::int preceding
                      and $28::int following
                  )
              ) p
            where
              partners = 1
          )
        select
          a.id,
          b.id as other
        from
          paired a
          full join paired b on b.n = a.partner
        where
          coalesce(
            a.id is not null
            and b.id is not null,
            false
          )
      )
    select
      i.id as "discrepancyId",
      i.code,
      i.severity,
      i.status,
      i.lapsed,
      i.pending,
      i.amount_minor as "amountMinor",
      i.at_risk_minor as "atRiskMinor",
      i.currency,
      i.since::text as since,
      coalesce(i.age_days, 0) as "ageDays",
      i.message,
      i.merchant_account_id as "merchantAccountId",
      i.payment_type as "paymentType",
      i.date::text as date,
      i.decision,
      i.until::text as until,
      case
        when i.link_key is not null then (
          select
            linked.id
          from
            payments linked
          where
            linked.key = i.link_key
        )
      end as "linkTo",
      i.assignee,
      i.reason,
      i.note,
      i.decided_by as "decidedBy",
      i.decided_on::text as "decidedOn",
      i.payment_id as "paymentId",
      i.file,
      i.line,
      'b' || i.facts || 'n' || i.last_number as basis,
      i.source,
      i.settlement_tx_id as "settlementTxId",
      i.clearing_institute_name as "clearingInstitute",
      i.merchant_transaction_id as "merchantTransactionId",
      i.expected,
      i.actual,
      i.first_seen_run as "firstSeenRun",
      links.other as "suggestedLink",
      patterns.pattern
    from
      (
        select
          *
        from
          unresolved i
        where
          i.status not in ('ACCEPTED', 'RESOLVED')
      ) i
      full join patterns on patterns.cause = i.cause
      full join links on links.id = i.id
    where
      coalesce(i.id is not null, false)
    offset
      0
  ) i
  cross join lateral (
    select
      (
        chr(31) || coalesce(i."lapsed"::text, chr(30)) || chr(31) || coalesce(i."pending"::text, chr(30)) || chr(31) || coalesce(i."amountMinor"::text, chr(30)) || chr(31) || coalesce(i."atRiskMinor"::text, chr(30)) || chr(31) || coalesce(i."ageDays"::text, chr(30)) || chr(31) || coalesce(i."line"::text, chr(30)) || chr(31) || coalesce(i."firstSeenRun"::text, chr(30)) || chr(31) || coalesce(i."since"::text, chr(30))
      ) || (
        chr(31) || coalesce(i."date"::text, chr(30)) || chr(31) || coalesce(i."until"::text, chr(30)) || chr(31) || coalesce(i."decidedOn"::text, chr(30)) || chr(31) || coalesce(i."discrepancyId"::text, chr(30)) || chr(31) || coalesce(i."code"::text, chr(30)) || chr(31) || coalesce(i."severity"::text, chr(30)) || chr(31) || coalesce(i."status"::text, chr(30)) || chr(31) || coalesce(i."currency"::text, chr(30))
      ) || (
        chr(31) || coalesce(i."merchantAccountId"::text, chr(30)) || chr(31) || coalesce(i."paymentType"::text, chr(30)) || chr(31) || coalesce(i."decision"::text, chr(30)) || chr(31) || coalesce(i."linkTo"::text, chr(30)) || chr(31) || coalesce(i."suggestedLink"::text, chr(30)) || chr(31) || coalesce(i."paymentId"::text, chr(30)) || chr(31) || coalesce(i."file"::text, chr(30)) || chr(31) || coalesce(i."basis"::text, chr(30))
      ) || (
        chr(31) || coalesce(i."source"::text, chr(30)) || chr(31) || coalesce(i."settlementTxId"::text, chr(30)) || chr(31) || coalesce(i."clearingInstitute"::text, chr(30)) || chr(31) || coalesce(i."merchantTransactionId"::text, chr(30)) || chr(31) || coalesce(i."pattern"::text, chr(30)) || chr(31) || coalesce(i."message"::text, chr(30)) || chr(31) || coalesce(i."assignee"::text, chr(30)) || chr(31) || coalesce(i."reason"::text, chr(30))
      ) || (
        chr(31) || coalesce(i."note"::text, chr(30)) || chr(31) || coalesce(i."decidedBy"::text, chr(30)) || chr(31) || coalesce(i."expected"::text, chr(30)) || chr(31) || coalesce(i."actual"::text, chr(30))
      ) as line
    offset
      0
  ) t
  cross join lateral (
    select
      case
        when octet_length(t.line) - octet_length(replace(t.line, chr(31), '')) = $29 then t.line
        else to_json(
          array[
            coalesce(i."lapsed"::text, chr(30)),
            coalesce(i."pending"::text, chr(30)),
            coalesce(i."amountMinor"::text, chr(30)),
            coalesce(i."atRiskMinor"::text, chr(30)),
            coalesce(i."ageDays"::text, chr(30)),
            coalesce(i."line"::text, chr(30)),
            coalesce(i."firstSeenRun"::text, chr(30)),
            coalesce(i."since"::text, chr(30)),
            coalesce(i."date"::text, chr(30)),
            coalesce(i."until"::text, chr(30)),
            coalesce(i."decidedOn"::text, chr(30)),
            coalesce(i."discrepancyId"::text, chr(30)),
            coalesce(i."code"::text, chr(30)),
            coalesce(i."severity"::text, chr(30)),
            coalesce(i."status"::text, chr(30)),
            coalesce(i."currency"::text, chr(30)),
            coalesce(i."merchantAccountId"::text, chr(30)),
            coalesce(i."paymentType"::text, chr(30)),
            coalesce(i."decision"::text, chr(30)),
            coalesce(i."linkTo"::text, chr(30)),
            coalesce(i."suggestedLink"::text, chr(30)),
            coalesce(i."paymentId"::text, chr(30)),
            coalesce(i."file"::text, chr(30)),
            coalesce(i."basis"::text, chr(30)),
            coalesce(i."source"::text, chr(30)),
            coalesce(i."settlementTxId"::text, chr(30)),
            coalesce(i."clearingInstitute"::text, chr(30)),
            coalesce(i."merchantTransactionId"::text, chr(30)),
            coalesce(i."pattern"::text, chr(30)),
            coalesce(i."message"::text, chr(30)),
            coalesce(i."assignee"::text, chr(30)),
            coalesce(i."reason"::text, chr(30)),
            coalesce(i."note"::text, chr(30)),
            coalesce(i."decidedBy"::text, chr(30)),
            coalesce(i."expected"::text, chr(30)),
            coalesce(i."actual"::text, chr(30))
          ]
        )::text
      end as line
    offset
      0
  ) w
order by
  abs(i."atRiskMinor") desc,
  i."ageDays" desc,
  i."discrepancyId" collate "C";
