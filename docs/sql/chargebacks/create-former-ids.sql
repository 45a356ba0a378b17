-- Makes the table of the chargeback ids that reversals had.
create temp table former_ids (
  file_id integer,
  line integer,
  chargeback_id text collate "C",
  booking_id text collate "C",
  primary key (file_id, line)
) on
commit
drop;
