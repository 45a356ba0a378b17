-- Creates the primary key of a filled table; before it is attached, so that other files need not wait for it.
alter table "settlement_records_N"
add primary key (file_id, line);
