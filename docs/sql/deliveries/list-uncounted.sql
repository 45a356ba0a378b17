-- Lists those that wait for a decision or are superseded.
insert into
  uncounted_deliveries
select
  *
from
  unnest(
    string_to_array($1, ',')::integer[],
    string_to_array($2, ',')::integer[],
    string_to_array($3, ','),
    string_to_array($4, ',')::integer[],
    string_to_array($5, ',')::integer[]
  );
