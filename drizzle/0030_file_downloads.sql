CREATE TABLE "file_downloads" (
	"run_id" integer NOT NULL,
	"place" integer NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"at_once" integer NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"size_bytes" bigint,
	"modified_at_ms" bigint,
	"is_regular" boolean,
	"maximum_size_bytes" bigint NOT NULL,
	"minimum_age_ms" bigint NOT NULL,
	"lease_seconds" integer NOT NULL,
	"run_clock_ms" bigint NOT NULL,
	"offered_at" timestamp with time zone NOT NULL,
	"owner" text COLLATE "C",
	"attempt" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone,
	"declined_by" text[] DEFAULT '{}' NOT NULL,
	"finished_at" timestamp with time zone,
	"sha256" text COLLATE "C",
	"received_bytes" bigint,
	"received_modified_at_ms" bigint,
	"stable" boolean,
	CONSTRAINT "file_downloads_run_id_place_pk" PRIMARY KEY("run_id","place")
);
--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "sources" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "file_downloads"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
