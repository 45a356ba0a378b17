-- Returns the latest as-of date, at which a payment reported as missing was due.
select
  greatest(max(as_of), $1::date)::text as latest
from
  runs;
