CREATE TABLE "discrepancy_changes" (
	"id" text COLLATE "C" NOT NULL,
	"run_id" integer NOT NULL,
	"severity" text COLLATE "C" NOT NULL,
	"file_id" integer,
	"line" integer,
	"expected" text,
	"actual" text,
	"difference_minor" bigint,
	"resolved_run" integer,
	CONSTRAINT "discrepancy_changes_id_run_id_pk" PRIMARY KEY("id","run_id")
);
--> statement-breakpoint
CREATE TABLE "match_changes" (
	"file_id" integer NOT NULL,
	"line" integer NOT NULL,
	"run_id" integer NOT NULL,
	"status" "matching_status" NOT NULL,
	"matched_by" "matched_by",
	"matched_through" text COLLATE "C",
	"payments" text COLLATE "C",
	CONSTRAINT "match_changes_file_id_line_run_id_pk" PRIMARY KEY("file_id","line","run_id")
);
--> statement-breakpoint
CREATE INDEX "discrepancy_changes_run" ON "discrepancy_changes" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "match_changes_run" ON "match_changes" USING btree ("run_id");--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "discrepancy_changes"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "match_changes"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
