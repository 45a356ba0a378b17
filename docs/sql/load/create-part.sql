-- Creates the table of a large file; before its records are stored.
create table "settlement_records_N" (like settlement_records)
with
  (autovacuum_enabled = off);
