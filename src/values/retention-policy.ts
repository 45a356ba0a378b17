/** The settings of retention: how long each kind of data is kept; null: forever. */
export interface RetentionPolicy {
  readonly archiveDays: number | null;
  readonly reportsDays: number | null;
  readonly recordsMonths: number | null;
  readonly rejectedRowsDays: number | null;
  readonly auditDays: number | null;
  readonly eventsDays: number | null;
  readonly checkoutsDays: number | null;
  readonly jobsDays: number | null;
  readonly registrationsDays: number | null;
  /** Whether each completed run removes what is older. */
  readonly afterRun: boolean;
}

/** The policy without a setting. */
export const keepsEverything: RetentionPolicy = {
  archiveDays: null,
  reportsDays: null,
  recordsMonths: null,
  rejectedRowsDays: null,
  auditDays: null,
  eventsDays: null,
  checkoutsDays: null,
  jobsDays: null,
  registrationsDays: null,
  afterRun: false,
};
