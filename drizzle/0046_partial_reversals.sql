DROP INDEX "chargeback_links_one_per_kind";--> statement-breakpoint
CREATE UNIQUE INDEX "chargeback_links_one_chargeback" ON "chargeback_links" USING btree ("chargeback_id") WHERE active and kind = 'CHARGEBACK';--> statement-breakpoint
CREATE INDEX "chargeback_links_chargeback" ON "chargeback_links" USING btree ("chargeback_id","kind") WHERE active;