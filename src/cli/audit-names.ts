import { auditActions } from '../db/audit-log/append-audit-events.js';

const actions = Object.keys(auditActions);
const groups = [...new Set(actions.map((action) => action.split('.')[0] ?? ''))];

/** What `recon audit list --action` takes: a group of actions such as `file`, or one action. */
export const auditNames: readonly string[] = [...groups, ...actions];
