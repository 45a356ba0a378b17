-- Copies those of them for which UniqueID found no payment: the weaker keys read only these.
create temp table undecided_records on
commit
drop as
select
  r.*
from
  review_records r
where
  r.undecided;
