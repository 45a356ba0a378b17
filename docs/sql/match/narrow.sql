-- Narrows several payments by type, success and amount; a step that would leave none is skipped.
create temp table kept_hits on
commit
drop as
select
  *
from
  (
    select
      rows.*,
      bool_or("same_amount") over (
        partition by
          file_id,
          line
      ) as "any_2"
    from
      (
        select
          *
        from
          (
            select
              rows.*,
              bool_or("succeeded") over (
                partition by
                  file_id,
                  line
              ) as "any_1"
            from
              (
                select
                  *
                from
                  (
                    select
                      rows.*,
                      bool_or("fits_type") over (
                        partition by
                          file_id,
                          line
                      ) as "any_0"
                    from
                      (
                        select
                          *
                        from
                          key_hits
                      ) rows
                  ) judged
                where
                  "fits_type"
                  or not "any_0"
              ) rows
          ) judged
        where
          "succeeded"
          or not "any_1"
      ) rows
  ) judged
where
  "same_amount"
  or not "any_2";
