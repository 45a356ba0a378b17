CREATE TABLE "database_moves" (
	"moved_at" timestamp with time zone PRIMARY KEY NOT NULL,
	"moved_to" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "packed_files" (
	"packed_sha256" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"packed_name" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"sha256" text COLLATE "C" NOT NULL,
	CONSTRAINT "packed_files_packed_sha256_position_pk" PRIMARY KEY("packed_sha256","position")
);
--> statement-breakpoint
CREATE INDEX "packed_files_sha256" ON "packed_files" USING btree ("sha256");--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "packed_files"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
