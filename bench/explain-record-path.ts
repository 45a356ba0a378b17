import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Sql } from '../src/db/connect.js';
import { runMatching } from '../src/matching/run-matching.js';

/**
 * Saves `EXPLAIN (ANALYZE, BUFFERS)` of every statement on the record path: auto_explain logs what the server
 * really ran, so nothing has to be written twice. The matching of the run is told again and rolled back.
 */
export async function explainRecordPath(sql: Sql, runId: number, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const plans: string[] = [];
  const undo = new Error('rolled back on purpose');
  await sql
    .begin(async (tx) => {
      await tx`load 'auto_explain'`;
      await tx`select set_config(name, value, true) from (values
        ('auto_explain.log_min_duration', '0'), ('auto_explain.log_analyze', 'on'), ('auto_explain.log_buffers', 'on'),
        ('auto_explain.log_level', 'notice'), ('client_min_messages', 'notice')) as s(name, value)`;
      await tx`select set_config('recon.fence', token::text, true) from run_fence`;
      await runMatching(
        (work) => work(tx),
        { kind: 'run', runId, asOf: '2026-11-20' },
        {
          runId,
          timezone: 'UTC',
          settlementDueDays: 5,
          lookbackDays: 60,
          attributes: { enabled: true, windowHours: 24 },
        },
      );
      throw undo;
    })
    .catch((thrown: unknown) => {
      if (thrown !== undo) throw thrown;
    });
  writeFileSync(path.join(directory, `run-${runId}.txt`), plans.join('\n'));
}
