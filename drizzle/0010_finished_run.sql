-- The run that loaded or rejected a file finished it: "settled" is a word for money. Only names change, so this waits
-- for nothing but the lock.
ALTER TABLE "settlement_files" RENAME COLUMN "settled_run_id" TO "finished_run_id";--> statement-breakpoint
ALTER INDEX "settlement_files_settled_run" RENAME TO "settlement_files_finished_run";
