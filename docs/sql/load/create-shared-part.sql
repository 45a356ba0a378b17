-- Creates the table that small files share; before the first file of a month, or the first after a large one.
create table "settlement_records_N" (
  like settlement_records,
  constraint belongs_to_part check (
    file_id >= F
    and file_id < T
  )
);
