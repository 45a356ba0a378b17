import type { Sql } from '../db/client.js';
import { runList } from '../listings/list-runs.js';
import { collect } from '../listings/listing.js';

/**
 * The sentence about a list that is empty. If no run has begun yet, nothing was looked for, and it says that too: the
 * command may have been started in another folder than the runs, where it has another database.
 */
export async function unlessWithoutRuns(sql: Sql, sentence: string): Promise<string> {
  const { total } = await collect(sql, runList({ status: null }), 1);
  return total > 0 ? sentence : `${sentence.replace(/\.$/, '')}: there are no runs yet.`;
}
