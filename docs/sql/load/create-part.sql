-- Creates the table of a large file; before its records are stored.
create table "settlement_records_N" (
  like settlement_records,
  constraint belongs_to_part check (
    file_id >= F
    and file_id < T
  )
)
with
  (autovacuum_enabled = off);
