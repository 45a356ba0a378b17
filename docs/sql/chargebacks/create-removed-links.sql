-- Makes a table for the records of these links.
create temp table removed_links (file_id integer, line integer) on
commit
drop;
