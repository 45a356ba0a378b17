import type { Archive } from '../archive/archive.js';
import type { Tx } from '../db/client.js';
import type { RunScope } from '../db/run-scope.js';
import { sqlStateOf } from '../db/database-errors.js';
import { isDivided } from '../db/shards/is-divided.js';
import { silentProgress } from '../progress.js';
import type { WrittenReconciledFile } from './reconciled/reconciled-files.js';
import { recoverReports, StagedFolder } from './folder/report-folder.js';
import { stopReportIfAborted } from './stop-report-if-aborted.js';
import { writeReconciled } from './reconciled/write-reconciled.js';

/** A report folder that contains its reconciled files, under its temporary name. */
export interface BegunReport {
  readonly folder: StagedFolder;
  readonly reconciled: readonly WrittenReconciledFile[];
}

/** What is known of a report before the matching; see `PublishRequest`. */
export interface EarlyRequest {
  readonly scope: RunScope;
  readonly archive: Archive;
  readonly reportsDirectory: string;
  readonly folderName: string;
  readonly fileMode: number;
  readonly signal: AbortSignal;
}

/**
 * Writes the reconciled files of a run while its matching still looks for discrepancies: they need only the results.
 * The matching keeps one core busy, so this takes the other. The report that is published after the commit continues in
 * the same folder, and compares the files with the stored totals as if it had written them.
 *
 * It can always be given up, and then the report writes the files itself: if the matching is repeated, if something is
 * wrong with the archive or the disk (the report says it then, once what was loaded is stored), or after a signal.
 */
export class EarlyReconciledFiles {
  readonly #request: EarlyRequest;
  #begun: BegunReport | null = null;

  constructor(request: EarlyRequest) {
    this.#request = request;
  }

  /**
   * @param tx has stored the results and chargeback ids of the scope, without committing them
   * @throws only failures of the database, which have ended the transaction
   */
  async write(tx: Tx): Promise<void> {
    await this.discard();
    // With shards, the transaction sends them statements and waits for their answers, and it reads the exceptions of a
    // file into tables.
    if (await isDivided(tx)) return;
    const { scope, archive, reportsDirectory, folderName, fileMode, signal } = this.#request;
    let folder: StagedFolder | undefined;
    try {
      await recoverReports(reportsDirectory, fileMode);
      folder = await StagedFolder.create(reportsDirectory, folderName, fileMode);
      const reconciled = await writeReconciled(tx, folder, {
        scope,
        archive,
        progress: silentProgress,
        stopIfAborted: () => {
          stopReportIfAborted(signal);
        },
        // Only needed for parts of files, which a re-run reports.
        stored: () => Promise.resolve(undefined),
      });
      this.#begun = { folder, reconciled };
    } catch (thrown) {
      await folder?.discard();
      if (sqlStateOf(thrown) !== undefined) throw thrown;
    }
  }

  /** What was written, once; whoever takes it publishes or discards the folder. */
  take(): BegunReport | null {
    const begun = this.#begun;
    this.#begun = null;
    return begun;
  }

  /** Removes what nobody took. */
  async discard(): Promise<void> {
    await this.take()?.folder.discard();
  }
}
