-- Creates the table in which the rows of a file are compared with the stored records; only if some are known.
create temporary table staged_records (like settlement_records) on
commit
drop;
