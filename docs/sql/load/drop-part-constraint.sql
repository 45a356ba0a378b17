-- Drops the constraint because of which attaching need not read the table.
alter table "settlement_records_N"
drop constraint belongs_to_part;
