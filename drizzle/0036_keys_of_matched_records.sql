SELECT set_config('recon.fence', (SELECT token::text FROM run_fence), true);
--> statement-breakpoint
-- Until now, awaited_identifiers had neither the values by which records were matched nor the UniqueID of a record with
-- a SettlementTxId.
INSERT INTO awaited_identifiers (file_id, line, identifier, value)
SELECT m.file_id, m.line, v.identifier, v.value
FROM record_matches m
JOIN settlement_records r ON r.file_id = m.file_id AND r.line = m.line
CROSS JOIN LATERAL (VALUES ('unique_id', r.unique_id), ('short_id', r.short_id),
  ('connector_tx_id1', r.connector_tx_id1), ('connector_tx_id2', r.connector_tx_id2),
  ('connector_tx_id3', r.connector_tx_id3)) v (identifier, value)
WHERE m.matched_by IN ('SHORT_ID', 'CONNECTOR_TX_ID', 'ATTRIBUTES') AND m.status <> 'NOT_APPLICABLE' AND v.value <> ''
  AND (m.matched_by <> 'SHORT_ID' OR v.identifier IN ('unique_id', 'short_id'))
ON CONFLICT DO NOTHING;
