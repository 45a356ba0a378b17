import { packedNames } from '../../intake/packed/packed-files.js';
import type { FileOutcome } from '../../outcome.js';
import type { ActiveRun } from '../open-run.js';

/** The outcomes with the packed file that each was in, as the run that received them would have reported them. */
export async function withPackedNames(
  run: ActiveRun,
  outcomes: readonly FileOutcome[],
): Promise<FileOutcome[]> {
  if (outcomes.length === 0) return [];
  const sha256s = outcomes.flatMap(({ sha256 }) => sha256 ?? []);
  const names = await run.transact((tx) => packedNames(tx, sha256s));
  return outcomes.map((outcome) => {
    const packedIn = names.get(outcome.sha256 ?? '');
    return packedIn === undefined ? outcome : { ...outcome, packedIn };
  });
}
