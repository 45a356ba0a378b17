import { allDone } from '../all-done.js';
import type { Transact } from '../db/fence.js';
import type { RunScope } from '../db/run-scope.js';
import type { AppliedWithdrawal } from '../outcome.js';
import { failPoint } from '../fail-point.js';
import { assignChargebacks } from './assign-chargebacks.js';
import { checkConservation } from './check-conservation.js';
import { allRecordChecks, findDiscrepancies, type DiscrepancySettings } from './find-discrepancies.js';
import type { Tx } from './fragment.js';
import { matchRecords, type MatchSettings } from './match-records.js';
import { noteRemovedRecords } from './removed-records.js';

/** What the matching of a run did besides storing results and findings. */
export interface MatchingResult {
  readonly assigned: number;
  readonly reversed: number;
  readonly withdrawals: readonly AppliedWithdrawal[];
}

/**
 * Work that is done at the same time, because matching keeps only one core of the server busy once records and payments
 * were compared.
 */
export interface WorkBeside {
  /** The records were compared with their payments, which keeps several cores busy. */
  readonly compared?: (() => void) | undefined;
  /** The results and chargeback ids are stored; it may read them while discrepancies are found. */
  readonly stored?: ((tx: Tx) => Promise<void>) | undefined;
}

/** The settings of all steps of matching. */
export type MatchingSettings = MatchSettings & DiscrepancySettings;

/**
 * Matches the records in scope with the stored payments, gives chargeback ids, and finds discrepancies (design 2), in
 * one transaction: a run that dies has stored all of it or nothing.
 *
 * @param beside is called again if the transaction is repeated
 * @returns how many chargebacks got an id and how many reversals were linked in this run, and which withdrawals of
 *   files took effect
 */
export async function runMatching(
  transact: Transact,
  scope: RunScope,
  settings: MatchingSettings,
  beside: WorkBeside = {},
): Promise<MatchingResult> {
  return transact(async (tx) => {
    await noteRemovedRecords(tx);
    const checks = allRecordChecks(tx, settings);
    const { withdrawals, hasManualLinks } = await matchRecords(tx, scope, settings, {
      checks,
      compared: beside.compared,
    });
    failPoint('match.records.after');
    const chargebacks = await assignChargebacks(tx, { ...settings, hasManualLinks });
    await allDone([findDiscrepancies(tx, scope, settings, checks), beside.stored?.(tx) ?? Promise.resolve()]);
    await checkConservation(tx, scope, { hasNewLinks: chargebacks.assigned + chargebacks.reversed > 0 });
    failPoint('match.commit.before');
    return { ...chargebacks, withdrawals };
  });
}
