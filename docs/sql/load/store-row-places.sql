-- Stores where rows of a file begin, every few kilobytes; for files of more than 64 KB.
insert into
  row_places (file_id, first_line, lines, offsets)
values
  ($1, $2, $3::text::integer[], $4::text::bigint[]);
