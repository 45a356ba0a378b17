-- Creates the table of a large file or of a month; before its records are stored.
create table "settlement_records_N" (like settlement_records)
with
  (autovacuum_enabled = off);
