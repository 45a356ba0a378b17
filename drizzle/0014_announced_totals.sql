ALTER TABLE "settlement_files" ADD COLUMN "totals_name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "settlement_files" ADD COLUMN "totals_sha256" text COLLATE "C";