import type { Dispose, FetchedFile } from '../../intake/fetch/fetched-file.js';
import { rememberRemoteFile } from '../../intake/register-file.js';
import { showName, storedName } from '../../remote/file-names.js';
import { isSourceFailure } from '../../errors.js';
import { failPoint } from '../../fail-point.js';
import type { FileOutcome } from '../../outcome.js';
import type { LeftFile } from './left-at-source.js';
import type { SourceOfRun } from './source-of-run.js';

type Received = Extract<FetchedFile, { status: 'received' }>;

/**
 * Disposes of a remote file once everything in it is stored, and remembers it, so that the next listing identifies it.
 * Returns the files that were left at the source.
 */
export async function finishRemoteFile(
  from: SourceOfRun,
  fetched: Received & { readonly isLoaded: boolean },
  outcomes: readonly FileOutcome[],
): Promise<readonly LeftFile[]> {
  const isLoaded =
    fetched.isLoaded && outcomes.every(({ status }) => status === 'loaded' || status === 'duplicate');
  const left = await disposeIfLoaded(from, { ...fetched, isLoaded });
  if (!fetched.stable || fetched.modifiedAtMs === null) return left;
  const { remotePath, sizeBytes, modifiedAtMs, sha256 } = fetched;
  // A path with a card number is not stored: the file is fetched again, and known by its bytes.
  if (storedName(remotePath) !== remotePath) return left;
  const { run, source } = from;
  await run.transact((tx) =>
    rememberRemoteFile(tx, { source: source.name, path: remotePath, sizeBytes, modifiedAtMs, sha256 }),
  );
  failPoint('remember.after');
  return left;
}

/**
 * Moves or deletes the remote file as its source asks, unless something in it was rejected: that stays until somebody
 * corrects it. A refusal is not a failure of the run: the bytes are archived and known, so the next run reports the
 * file as a duplicate. Returns the files that were left at the source.
 */
export async function disposeIfLoaded(
  { context, run, source: { name: source } }: SourceOfRun,
  fetched: { readonly name: string; readonly dispose: Dispose; readonly isLoaded: boolean },
): Promise<readonly LeftFile[]> {
  if (run.dryRun || !fetched.isLoaded) return [];
  try {
    failPoint('dispose.before');
    const left = await fetched.dispose();
    failPoint('dispose.after');
    return left.map((why) => ({ source, why }));
  } catch (thrown) {
    if (!isSourceFailure(thrown)) throw thrown;
    context.logger.warn({ source, file: fetched.name, code: thrown.code }, thrown.message);
    const name = showName(fetched.name);
    const why = thrown.message.includes(name) ? thrown.message : `${name}: ${thrown.message}`;
    return [{ source, why }];
  }
}
