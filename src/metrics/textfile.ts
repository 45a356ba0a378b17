import { rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { causeOf } from '../disk/disk-errors.js';
import { replaceFile } from '../disk/durable.js';
import { createTextFile } from '../disk/private-files.js';
import type { Figures } from './figures.js';
import { renderOnce } from './metrics.js';
import { readState, readWork, type FigureSettings } from './read-figures.js';
import { samplesOf } from './samples.js';
import type { Sql } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';

/** node_exporter runs under another account, so everybody may read the file. Its folder decides who gets there. */
const textfileMode = 0o644;

/** A file for the textfile collector of node_exporter, and what it says of the last command. */
export interface TextfileRequest extends FigureSettings {
  readonly file: string;
  /** Null when the database could not be opened. */
  readonly sql: Sql | null;
  /** How the command ended, which a run that could not begin did not store. */
  readonly exitCode: number;
  readonly nowMs: number;
  readonly logger: Logger;
}

/**
 * Writes the metrics after a one-shot run to a file that node_exporter reads. The file is replaced as a whole, so a
 * reader never sees a part of it. A file that cannot be written is logged: it does not change the result of the run.
 */
export async function writeTextfile(request: TextfileRequest): Promise<void> {
  const { file, exitCode, nowMs, logger } = request;
  // A name that node_exporter does not read.
  const written = `${file}.${process.pid}.tmp`;
  try {
    const ended = [
      { name: 'recon_last_run_end_timestamp_seconds', labels: {}, value: nowMs / 1000 } as const,
      { name: 'recon_last_run_exit_code', labels: {}, value: exitCode } as const,
    ];
    const text = await renderOnce([...samplesOf(await figuresOf(request)), ...ended]);
    await createTextFile(written, text, { mode: textfileMode, owner: 'account' });
    await replaceFile(written, file);
  } catch (thrown) {
    await rm(written, { force: true }).catch(() => undefined);
    logger.warn({ file }, `The metrics could not be written to ${file}: ${causeOf(thrown)}.`);
  }
}

async function figuresOf({ sql, nowMs, logger, ...settings }: TextfileRequest): Promise<Figures> {
  if (sql === null) return { isDatabaseUp: false, state: null, work: null };
  try {
    const [state, work] = [await readState(sql, settings), await readWork(sql, settings, nowMs)];
    return { isDatabaseUp: true, state: { ...state, readAtMs: nowMs }, work: { ...work, readAtMs: nowMs } };
  } catch (thrown) {
    logger.warn({ err: toReconError(thrown) ?? thrown }, 'The figures for the metrics could not be read.');
    return { isDatabaseUp: false, state: null, work: null };
  }
}
