import { fileIdsInScope, type DueSettings, type RunScope } from '../db/run-scope.js';
import type { AppliedWithdrawal } from '../outcome.js';
import { applyKeyHits } from './apply-key-hits.js';
import { keepRemovedPayments } from './chargebacks/keep-removed-payments.js';
import { storeAwaitedIdentifiers } from './awaited-identifiers.js';
import { applyWithdrawals } from './deliveries/apply-withdrawals.js';
import { addLateRecords, addChangedRecords } from './deliveries/add-changed-records.js';
import { excludeUncounted } from './deliveries/exclude-uncounted.js';
import { judgeDeliveries } from './deliveries/judge-deliveries.js';
import { listReturnedAgain } from './deliveries/list-returned-again.js';
import type { Corrections } from './deliveries/list-suspects.js';
import type { Check } from './discrepancies/check.js';
import {
  listRepeatedPayments,
  listReviewPayments,
  listReviewRecords,
  listUndecidedRecords,
} from './discrepancies/review-lists.js';
import { takeFastPath, takeLateRecords } from './fast-path.js';
import type { Tx } from './fragment.js';
import { applyManualLinks } from './manual-links/apply-manual-links.js';
import { listManualLinks } from './manual-links/list-manual-links.js';
import { matchByWeakerKeys } from './match-by-weaker-keys.js';
import type { WeakerKeySettings } from './matching-keys.js';
import { narrowed } from './narrowing.js';
import { followReferences } from './references.js';
import { refreshStatistics } from './refresh-statistics.js';
import { narrowByRoom } from './narrow-by-room.js';
import { selectRechecks } from './select-rechecks.js';
import { storeCandidates, storeMatches } from './store-matches.js';
import { prepareMatching } from './work-tables.js';
import type { FileId, RunId } from '../values/ids.js';

/** The settings of the matching, and the run that matches. */
export interface MatchSettings extends DueSettings, WeakerKeySettings {
  readonly runId: RunId;
  readonly corrections: Corrections;
}

/** What the later steps of matching have to know of this one. */
export interface MatchedRecords {
  /** The files that were withdrawn or restored since the last run. */
  readonly withdrawals: readonly AppliedWithdrawal[];
  /** Whether anybody has ever linked or unlinked a record: then there are `manual_links` and `redecided_records`. */
  readonly hasManualLinks: boolean;
}

/** What the steps of this matching depend on. */
interface Circumstances {
  /** Whether there are `manual_links` and `redecided_records`. */
  readonly hasManualLinks: boolean;
  /** The files in scope. */
  readonly fileIds: readonly FileId[];
}

/**
 * Matches the records in scope with the stored payments (design 4.4) and stores a result for each of them. A record
 * with a chargeback id keeps the payment of that chargeback, unless a person decided otherwise. Rows that would not
 * change are not written.
 *
 * First of the four steps of one transaction; the later ones read its work tables (`work-tables.ts`).
 *
 * @param checks those of a single record, which the fast path makes while it reads the record
 * @param compared is called after the fast path
 */
export async function matchRecords(
  tx: Tx,
  scope: RunScope,
  settings: MatchSettings,
  { checks, compared }: { readonly checks: readonly Check[]; readonly compared?: (() => void) | undefined },
): Promise<MatchedRecords> {
  await prepareMatching(tx);
  const { withdrawals, hasManualLinks, extraFiles } = await addEarlierRecords(tx, scope, settings);
  const fileIds = await fileIdsInScope(tx, scope);
  const circumstances = { hasManualLinks, fileIds };
  await refreshStatistics(tx, 'payments');
  await refreshStatistics(tx, 'settlement_records');
  await takeFastPath(tx, scope, { checks, extraFiles, ...circumstances });
  compared?.();
  await keepRemovedPayments(tx, circumstances);
  if (hasManualLinks) await applyManualLinks(tx);
  await listReviewRecords(tx, fileIds);
  await listRepeatedPayments(tx);
  await decideWhichCount(tx, scope, settings, { checks, ...circumstances });
  await matchUndecided(tx, settings, circumstances);
  await narrowByRoom(tx, scope);
  await listReviewPayments(tx);
  await storeResults(tx, settings.runId);
  return { withdrawals, hasManualLinks };
}

/**
 * Adds earlier records to this matching: those that are still open, those of withdrawn and restored files, and those
 * that were linked or unlinked.
 *
 * @returns `extraFiles`: the files of `extra_records`
 */
async function addEarlierRecords(
  tx: Tx,
  scope: RunScope,
  settings: MatchSettings,
): Promise<MatchedRecords & { readonly extraFiles: readonly FileId[] }> {
  const { maxPaymentsPerKey } = settings;
  if (scope.kind === 'run') await selectRechecks(tx, scope, { due: settings, maxPaymentsPerKey });
  const withdrawals = await applyWithdrawals(tx, scope, settings.runId);
  const hasManualLinks = await listManualLinks(tx);
  const extraFiles = await addChangedRecords(tx, scope, hasManualLinks);
  return { withdrawals, hasManualLinks, extraFiles };
}

/**
 * Decides which deliveries of a record count, matches the records of other runs that count differently now or return
 * once more, and takes the results of records that do not count out of `new_matches`.
 */
async function decideWhichCount(
  tx: Tx,
  scope: RunScope,
  settings: MatchSettings,
  fastPath: Circumstances & { readonly checks: readonly Check[] },
): Promise<void> {
  const hasJudged = await judgeDeliveries(tx, scope, settings);
  const hasReturned = await listReturnedAgain(tx, settings.runId);
  const hasChanged = hasJudged || hasReturned;
  if (hasChanged) {
    await addLateRecords(tx, scope, hasReturned);
    await takeLateRecords(tx, fastPath);
    await keepRemovedPayments(tx, fastPath);
    if (fastPath.hasManualLinks) await applyManualLinks(tx);
  }
  if ((await excludeUncounted(tx, scope)) || hasChanged) {
    await tx`drop table review_records`;
    await listReviewRecords(tx, fastPath.fileIds);
  }
}

/** Matches the records for which UniqueID found no payment, or payments of a type that does not fit. */
async function matchUndecided(
  tx: Tx,
  settings: MatchSettings,
  { hasManualLinks }: Circumstances,
): Promise<void> {
  await listUndecidedRecords(tx);
  await matchByWeakerKeys(tx, settings, { hasManualLinks });
  await followReferences(tx, { hasManualLinks, limit: settings.maxPaymentsPerKey });
  await tx`analyze key_hits`;
  await tx`create temp table kept_hits on commit drop as ${narrowed(tx, tx`select * from key_hits`)}`;
  await tx`create index on pg_temp.kept_hits (file_id, line)`;
  await tx`analyze kept_hits`;
  await applyKeyHits(tx);
}

/** Stores the results, the payments left to records with several, and the identifiers that records await. */
async function storeResults(tx: Tx, runId: RunId): Promise<void> {
  await storeMatches(tx, runId);
  await refreshStatistics(tx, 'record_matches');
  await storeCandidates(tx);
  await storeAwaitedIdentifiers(tx);
}
