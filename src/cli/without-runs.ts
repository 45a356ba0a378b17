import type { ReconConfig } from '../config/recon-config.js';
import type { Sql } from '../db/client.js';
import { runList } from '../listings/list-runs.js';
import { collect } from '../listings/listing.js';
import { printable } from './text/printable.js';

/**
 * The sentence about a list that is empty. If no run has begun yet, nothing was looked for, and it says that too: the
 * command may have been started in another folder than the runs, where it has another database.
 */
export async function unlessWithoutRuns(sql: Sql, sentence: string): Promise<string> {
  const { total } = await collect(sql, runList({ status: null }), 1);
  return total > 0 ? sentence : withoutRuns(sentence);
}

/**
 * The sentence about a list where no database was created yet: it names the folder, which is often not the meant one.
 *
 * @param foundByRuns whether runs find the entries of the list
 */
export function withoutDatabase(
  { dataDirectory }: Pick<ReconConfig, 'dataDirectory'>,
  sentence: string,
  foundByRuns: boolean,
): string {
  const said = foundByRuns ? withoutRuns(sentence) : sentence;
  return `${said.replace(/\.$/, '')} (no database exists in ${printable(dataDirectory)}).`;
}

const withoutRuns = (sentence: string) => `${sentence.replace(/\.$/, '')}: there are no runs yet.`;
