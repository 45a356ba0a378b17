ALTER TABLE "delivery_keys" ADD COLUMN "awaited_id" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "delivery_keys_awaited" ON "delivery_keys" USING btree ("awaited_id") WHERE awaited_id is not null;
--> statement-breakpoint
SELECT set_config('recon.fence', (SELECT token::text FROM run_fence), true);
--> statement-breakpoint
UPDATE delivery_keys d SET awaited_id = r.unique_id
FROM settlement_records r JOIN record_matches m ON m.file_id = r.file_id AND m.line = r.line
WHERE r.file_id = d.file_id AND r.line = d.line AND r.unique_id <> ''
  AND m.status <> 'NOT_APPLICABLE' AND m.matched_by IS DISTINCT FROM 'UNIQUE_ID';
