-- Records are divided by file id. Ids grow with time, so a part is a stretch of it: the small files of a month, or
-- one large file. A large file then fills a table of its own that nobody else reads or writes yet, and whose indexes
-- are built when it is full: over a million rows that is half the time of a load (README, "How fast it is").
-- Division by settlement date was rejected: a result, a finding and a link name their record by file and line, and
-- would have to ask every part for it. Results (record_matches) are not divided: they are asked for by payment, and
-- every part would have to answer.
--
-- A unique index of the whole would have to hold the file id, and then say nothing. So each part has an index of
-- its own on identity, and a load compares a file with the other parts that hold its dates, in its transaction,
-- which the fence makes the only one.
--
-- What is stored stays where it is, as the first part; nothing is written anew.
CREATE TABLE "record_parts" (
	"first_file_id" integer PRIMARY KEY NOT NULL,
	"end_file_id" integer NOT NULL,
	"own_file" boolean NOT NULL,
	"month" date NOT NULL
);
--> statement-breakpoint
INSERT INTO record_parts (first_file_id, end_file_id, own_file, month)
SELECT 1, coalesce(max(id), 0) / 10000 * 10000 + 10001, false, date_trunc('month', now() AT TIME ZONE 'UTC')::date
FROM settlement_files;
--> statement-breakpoint
ALTER TABLE settlement_records RENAME TO settlement_records_1;
--> statement-breakpoint
ALTER TABLE settlement_records_1 RENAME CONSTRAINT settlement_records_file_id_line_pk TO settlement_records_1_pkey;
--> statement-breakpoint
ALTER INDEX settlement_records_identity RENAME TO settlement_records_1_identity;
--> statement-breakpoint
CREATE TABLE settlement_records (LIKE settlement_records_1) PARTITION BY RANGE (file_id);
--> statement-breakpoint
ALTER TABLE settlement_records ADD CONSTRAINT settlement_records_file_id_line_pk PRIMARY KEY (file_id, line);
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE format('ALTER TABLE settlement_records ATTACH PARTITION settlement_records_1 FOR VALUES FROM (1) TO (%s)',
    (SELECT end_file_id FROM record_parts));
END;
$$;
--> statement-breakpoint
-- A trigger for statements works on the table that a statement names; that of the part was there before.
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON settlement_records
  FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
