ALTER TABLE "workers" ADD COLUMN "archive_checked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "archive_problem" text;