import { discrepancyCodes, severities } from '../../findings/discrepancy-codes.js';
import { itemStatuses } from '../../findings/open-item.js';
import { roles } from '../../http/tokens/roles.js';
import { chargebackStatuses } from '../../listings/list-chargebacks.js';
import { fileStatuses } from '../../listings/list-files.js';
import { jobStatuses } from '../../listings/list-jobs.js';
import { runStatuses } from '../../listings/list-runs.js';
import type { Wrapper } from '../../webhooks/notification-request.js';
import type { EventType } from '../../webhooks/subscriptions.js';
import { auditNames } from '../audit-names.js';
import { newSeverities } from '../fail-on.js';

/** The shells that `recon completion` writes a script for. */
export const shells = ['bash', 'zsh', 'fish'] as const;
/** See {@link shells}. */
export type Shell = (typeof shells)[number];

// Their modules would load the payment core.
const wrappers = ['none', 'json'] as const satisfies readonly Wrapper[];
const eventTypes = ['PAYMENT', 'REGISTRATION'] as const satisfies readonly EventType[];

/** The words that an option takes, by option or by command and option; the argument of a command has no option. */
const values: Readonly<Record<string, readonly string[]>> = {
  completion: shells,
  '--severity': severities,
  '--fail-on': [...severities, ...newSeverities],
  '--code': Object.keys(discrepancyCodes),
  'runs --status': runStatuses,
  'files --status': fileStatuses,
  'items --status': [...itemStatuses, 'LAPSED'],
  'decide --status': [...itemStatuses, 'LAPSED'],
  'chargebacks list --status': chargebackStatuses,
  'jobs list --status': jobStatuses,
  'audit list --action': auditNames,
  '--role': roles,
  '--environment': ['test', 'live'],
  '--wrapper': wrappers,
  '--types': eventTypes,
};

/** The words from which to choose, if there are only a few. */
export function valuesOf(path: string, option: string): readonly string[] | undefined {
  return values[`${path} ${option}`.trim()] ?? (option === '' ? undefined : values[option]);
}
