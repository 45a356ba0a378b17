CREATE TABLE "file_claims" (
	"run_id" integer NOT NULL,
	"place" integer NOT NULL,
	"file_id" integer NOT NULL,
	"timezone" text NOT NULL,
	"max_rejected_share" double precision NOT NULL,
	"lease_seconds" integer NOT NULL,
	"owner" text COLLATE "C",
	"attempt" integer DEFAULT 0 NOT NULL,
	"claimed_at" timestamp with time zone,
	"lease_until" timestamp with time zone,
	"declined_by" text[] DEFAULT '{}' NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "file_claims_run_id_place_pk" PRIMARY KEY("run_id","place")
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"process_id" integer NOT NULL,
	"version" text COLLATE "C" NOT NULL,
	"files_at_once" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "version" text COLLATE "C";--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "file_claims"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
