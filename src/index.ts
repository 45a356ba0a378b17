/**
 * recon as a library: the reconciliation (`openRecon`) for programs that embed it. The payment core has a separate
 * entry point, `recon/payment-core`.
 */
export { openRecon } from './library/open-recon.js';
export type {
  DecideOptions,
  DiscrepanciesFilter,
  FileDecision,
  FilesFilter,
  Interruptible,
  ItemsFilter,
  PurgeOptions,
  Recon,
  ReconOptions,
  ReportOptions,
  RerunOptions,
  RunOptions,
  RunsFilter,
} from './library/recon.js';
export type { Purged } from './retention/purge.js';
export type { FilesDiff, RunsDiff } from './library/diff.js';
export type {
  FtpSourceSetting,
  FtpsSourceSetting,
  LocalSourceSetting,
  ReconSettings,
  SftpSourceSetting,
  SourceSetting,
} from './library/settings.js';

export {
  ReconError,
  errorCatalogue,
  exitCodes,
  type ErrorCode,
  type FailureClass,
  type Retry,
} from './errors.js';
export type { WithdrawnFile } from './intake/withdraw-file.js';
export type {
  AppliedWithdrawal,
  CompletedRun,
  CurrencyTotal,
  DiscrepancyAmount,
  FailedRun,
  FileOutcome,
  FileRows,
  ItemCounts,
  MatchingCounts,
  MovedMoney,
  OutcomeError,
  ReportPaths,
  RunOutcome,
  RunTotals,
  SourceOutcome,
  UnmovedMoney,
} from './outcome.js';
export type { DiscrepancyCode, Severity } from './findings/discrepancy-codes.js';
export type { Item, ItemStatus, StandingKind } from './findings/open-item.js';
export type { DecisionKind } from './values/decision-kinds.js';
export type { ChangedCell } from './findings/changed-cell.js';
export type { Decided } from './items/decide.js';
export type { ListedItem } from './items/listed-item.js';
export type { Pattern } from './items/patterns.js';
export type { FormerDecision, StoredDecision } from './items/store-decisions.js';
export type * from './matching/explain/explanation.js';
export type { RecordDifference } from './matching/deliveries/compare-files.js';
export type { FindingDifference } from './listings/changed-findings.js';
export type { ResultDifference } from './listings/changed-results.js';
export type { AddedFile } from './listings/compare-runs.js';
export type { ListedDiscrepancy } from './listings/list-discrepancies.js';
export type { FileStatus, ListedFile, ListedWithdrawal } from './listings/list-files.js';
export type { ListedRun, RunStatus } from './listings/list-runs.js';
export type { Listing } from './listings/listing.js';
export type { PaymentsImported } from './payment-core/index.js';
