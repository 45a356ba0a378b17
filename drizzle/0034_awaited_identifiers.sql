CREATE TABLE "awaited_identifiers" (
	"file_id" integer NOT NULL,
	"line" integer NOT NULL,
	"identifier" text COLLATE "C" NOT NULL,
	"value" text COLLATE "C" NOT NULL,
	CONSTRAINT "awaited_identifiers_file_id_line_identifier_pk" PRIMARY KEY("file_id","line","identifier")
);
--> statement-breakpoint
CREATE INDEX "awaited_identifiers_value" ON "awaited_identifiers" USING btree ("value");
--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "awaited_identifiers"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
--> statement-breakpoint
SELECT set_config('recon.fence', (SELECT token::text FROM run_fence), true);
--> statement-breakpoint
-- What the records await that weaker keys have matched so far. delivery_keys has the UniqueID of a record with a
-- SettlementTxId.
INSERT INTO awaited_identifiers (file_id, line, identifier, value)
SELECT m.file_id, m.line, v.identifier, v.value
FROM record_matches m
JOIN settlement_records r ON r.file_id = m.file_id AND r.line = m.line
CROSS JOIN LATERAL (VALUES ('unique_id', r.unique_id), ('short_id', r.short_id),
  ('connector_tx_id1', r.connector_tx_id1), ('connector_tx_id2', r.connector_tx_id2),
  ('connector_tx_id3', r.connector_tx_id3)) v (identifier, value)
WHERE m.matched_by IN ('SHORT_ID', 'CONNECTOR_TX_ID', 'ATTRIBUTES') AND m.status <> 'NOT_APPLICABLE'
  AND v.value <> '' AND (v.identifier <> 'unique_id' OR coalesce(r.settlement_tx_id, '') = '') AND CASE m.matched_by
    WHEN 'SHORT_ID' THEN v.identifier = 'unique_id'
    WHEN 'CONNECTOR_TX_ID' THEN v.identifier IN ('unique_id', 'short_id')
      OR concat_ws(' ', nullif(r.connector_tx_id1, ''), nullif(r.connector_tx_id2, ''),
        nullif(r.connector_tx_id3, '')) <> v.value
    ELSE true END;
