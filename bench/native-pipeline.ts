import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Sql } from '../src/db/client.js';
import { openMigrationSession } from '../src/db/connect.js';
import type { Dataset } from './generate.js';
import { differencesQuery, matchStatements, reconciledQuery, referenceTypes } from './reference-match.js';

export interface StageTimes {
  readonly [stage: string]: number;
}

/**
 * The reference: the time that PostgreSQL's own tools need for clean, numbered rows and only the join. COPY into
 * a logged, typed table, its primary key, set-based matching into a narrow table, COPY out of the reconciled
 * file and of the differences. No validation, no archive, no identity, no chargebacks, no re-run.
 *
 * @param outputDirectory a folder that the server's account can write to
 */
export async function runNativePipeline(
  url: string,
  dataset: Dataset,
  outputDirectory: string,
): Promise<StageTimes> {
  const sql = openMigrationSession(url);
  const times: Record<string, number> = {};
  const stage = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const started = performance.now();
    await work();
    times[name] = performance.now() - started;
  };
  const declared = referenceTypes('text collate "C"').map(([name, type]) => `${name} ${type}`);
  try {
    await sql.unsafe(`create table native_records (${declared.join(', ')})`);
    await stage('load', async () => {
      const copy = await sql`copy native_records from stdin (format csv, delimiter ';')`.writable();
      await pipeline(createReadStream(dataset.cleanFile, { highWaterMark: 256 * 1024 }), copy);
      await sql`alter table native_records add primary key (line)`;
      await sql`analyze native_records`;
    });
    await stage('match', async () => {
      for (const statement of matchStatements) await sql.unsafe(statement);
      await sql`create index on native_matches (line)`;
      await sql`analyze native_matches`;
    });
    await stage('report', async () => {
      const query = reconciledQuery((time) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`);
      await copyTo(sql, query, `${outputDirectory}/native-reconciled.csv`);
      await copyTo(sql, differencesQuery, `${outputDirectory}/native-differences.csv`);
    });
    return times;
  } finally {
    await sql.end();
  }
}

/** The server writes the file: a client would be slower, which would make `recon` look better. */
async function copyTo(sql: Sql, query: string, file: string): Promise<void> {
  await sql.unsafe(`copy (${query}) to '${file}' (format csv, delimiter ';')`);
}
