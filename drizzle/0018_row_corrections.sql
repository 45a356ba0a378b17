CREATE TABLE "row_corrections" (
	"file_id" integer NOT NULL,
	"line" integer NOT NULL,
	"cells" jsonb NOT NULL,
	"settlement_date" date NOT NULL,
	"author" text NOT NULL,
	"decided_on" date NOT NULL,
	"decided_at" timestamp with time zone NOT NULL,
	"sheet_name" text NOT NULL,
	"sheet_sha256" text COLLATE "C" NOT NULL,
	"sheet_line" integer NOT NULL,
	CONSTRAINT "row_corrections_file_id_line_pk" PRIMARY KEY("file_id","line")
);
--> statement-breakpoint
-- Who corrected which row, and how, stays.
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON "row_corrections"
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
