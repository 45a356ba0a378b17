import { noItems, type FailedRun } from '../outcome.js';

/** What an outcome says of a run that has no results. */
export const noResults: Omit<FailedRun, 'runId' | 'kind' | 'asOf' | 'status' | 'exitCode' | 'error'> = {
  sources: [],
  files: [],
  matching: { MATCHED: 0, MULTIPLE_MATCHES: 0, NOT_MATCHED: 0, NOT_APPLICABLE: 0 },
  chargebacks: { assigned: 0, reversed: 0 },
  discrepancies: { total: 0, byCode: {}, amounts: [] },
  items: noItems,
  expected: [],
  totals: null,
  reports: null,
};
