import type { LoadSettings } from '../../intake/load-archived.js';
import type { OpeningSettings } from '../../intake/open-received.js';
import type { ActiveRun } from '../open-run.js';
import type { RunContext } from '../run-context.js';

/** A source whose files a run takes in. */
export interface SourceOfRun {
  readonly context: RunContext;
  readonly run: ActiveRun;
  /** The settings that storing its files depends on. */
  readonly source: LoadSettings & OpeningSettings;
  /** The SHA-256 of files that the run reports before it fetches any: a fetched file that is among them is left out. */
  readonly alreadyReported: ReadonlySet<string>;
}
