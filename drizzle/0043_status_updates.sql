CREATE TABLE "status_updates" (
	"payment_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"environment" text COLLATE "C" NOT NULL,
	"url" text NOT NULL,
	"resource_id" text COLLATE "C" NOT NULL,
	"resource_path" text NOT NULL,
	"status" text COLLATE "C" DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"queued_at" timestamp with time zone DEFAULT now() NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"claimed_until" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"last_error" text
);
--> statement-breakpoint
CREATE INDEX "status_updates_waiting" ON "status_updates" USING btree ("environment","queued_at") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "status_updates_finished" ON "status_updates" USING btree ("finished_at");