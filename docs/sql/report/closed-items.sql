-- Adds up the accepted items and those that the run resolved, for page.html.
select
  status,
  currency,
  width_bucket(coalesce(age_days, 0), string_to_array($1, ',')::integer[]) as age,
  sum(count)::int as count,
  sum(missing)::text as missing,
  sum(surplus)::text as surplus
from
  (
    select
      'ACCEPTED' as status,
      settled.currency,
      greatest($2::date - seen.as_of, 0) as age_days,
      settled.count,
      settled.missing,
      settled.surplus
    from
      (
        select
          first_seen_run,
          severity,
          currency,
          sum(sign) as count,
          sum(sign * greatest(minor, 0)) as missing,
          sum(sign * greatest(- minor, 0)) as surplus
        from
          (
            select
              d.first_seen_run,
              d.severity,
              d.accepted_currency as currency,
              d.accepted_at_risk_minor as minor,
              1 as sign
            from
              discrepancies d
            where
              d.resolved_run is null
              and d.accepted_at_risk_minor is not null
            union all
            select
              d.first_seen_run,
              d.severity,
              d.accepted_currency as currency,
              d.accepted_at_risk_minor as minor,
              -1 as sign
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
              d.resolved_run is null
              and d.accepted_at_risk_minor is not null
          ) d
        group by
          first_seen_run,
          severity,
          currency
        having
          sum(sign) > 0
      ) settled
      left join runs seen on seen.id = settled.first_seen_run
    union all
    select
      status,
      currency,
      age_days,
      1,
      greatest(at_risk_minor, 0),
      greatest(- at_risk_minor, 0)
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
              and s.until > $3::date
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
                    and s.until > $4::date
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
                when d.code in ($5, $6, $7, $8, $9, $10, $11) then case r.cashflow
                  when 'POS' then - r.amount_minor
                  else r.amount_minor
                end
              end
            ),
            0
          ) as at_risk_minor,
          seen.as_of as since,
          greatest($12::date - seen.as_of, 0) as age_days,
          coalesce(r.merchant_account_id, p.entity_id) as merchant_account_id,
          coalesce(r.payment_type, p.payment_type) as payment_type,
          coalesce(r.settlement_date, (p.requested_at at time zone $13)::date) as date,
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
          discrepancies d
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
                  and kind::text in ($14, $15, $16, $17, $18, $19)
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
          d.id = any (
            array(
              select
                u.id
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
                ) u
              where
                (
                  select
                    true
                  from
                    decisions x
                  where
                    true
                  limit
                    1
                )
                and exists (
                  select
                  from
                    decisions x
                  where
                    x.item = u.id
                    and true
                  offset
                    0
                )
            )
          )
      ) decided
    where
      status = 'ACCEPTED'
    union all
    select
      'RESOLVED',
      currency,
      age_days,
      1,
      greatest(at_risk_minor, 0),
      greatest(- at_risk_minor, 0)
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
              and s.until > $20::date
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
                    and s.until > $21::date
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
                when d.code in ($22, $23, $24, $25, $26, $27, $28) then case r.cashflow
                  when 'POS' then - r.amount_minor
                  else r.amount_minor
                end
              end
            ),
            0
          ) as at_risk_minor,
          seen.as_of as since,
          greatest($29::date - seen.as_of, 0) as age_days,
          coalesce(r.merchant_account_id, p.entity_id) as merchant_account_id,
          coalesce(r.payment_type, p.payment_type) as payment_type,
          coalesce(r.settlement_date, (p.requested_at at time zone $30)::date) as date,
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
          discrepancies d
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
                  and kind::text in ($31, $32, $33, $34, $35, $36)
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
          d.resolved_run = $37
      ) resolved
  ) i
group by
  1,
  2,
  3
order by
  status,
  currency collate "C",
  age;
