CREATE TABLE "row_places" (
	"file_id" integer NOT NULL,
	"first_line" integer NOT NULL,
	"lines" integer[] NOT NULL,
	"offsets" bigint[] NOT NULL,
	CONSTRAINT "row_places_file_id_first_line_pk" PRIMARY KEY("file_id","first_line")
);
--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "row_places"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
