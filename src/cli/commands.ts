import type { CommandDefinition } from './command-definition.js';
import { fileCommands } from './definitions/files.js';
import { findingCommands } from './definitions/findings.js';
import { gatewayCommands } from './definitions/gateway.js';
import { itemCommands } from './definitions/items.js';
import { maintenanceCommands } from './definitions/maintenance.js';
import { monitoringCommands } from './definitions/monitoring.js';
import { paymentCommands } from './definitions/payments.js';
import { runCommands } from './definitions/runs.js';
import { startCommands } from './definitions/start.js';
import { webhookCommands } from './definitions/webhooks.js';

/** Commander's own command `help` is listed below it too. */
export const maintenance = 'Maintain:';

/** The headings of `recon --help`, with the commands below each. */
const sections: readonly (readonly [heading: string, commands: readonly CommandDefinition[]])[] = [
  ['Start:', startCommands],
  ['Every day:', [...runCommands, ...fileCommands]],
  ['Work on what is open:', [...itemCommands, ...findingCommands]],
  ['Payments:', [...paymentCommands, ...gatewayCommands, ...webhookCommands]],
  [maintenance, [...monitoringCommands, ...maintenanceCommands]],
];

/** Every command, in the order of the help. */
export const commands: readonly CommandDefinition[] = sections.flatMap(([, commands]) => commands);

/** The heading below which the help lists a command, or a word that groups commands. */
export function helpHeading(word: string): string {
  const section = sections.find(([, commands]) => commands.some(({ name }) => name.split(' ')[0] === word));
  return section?.[0] ?? maintenance;
}

/** What the help says about a word that only groups commands. */
export const groupSummaries: Readonly<Record<string, string>> = {
  payments: 'store payments in bulk, or write them out',
  chargebacks: 'list, book and reverse chargebacks',
  jobs: 'make the scheduled payments that are due, or list the schedules',
  tokens: 'make and revoke access tokens of the API',
  audit: 'show who did what, and prove that nobody changed the log',
  alerts: 'show and test the alerts',
  archive: 'encrypt archived files, and write one as it was received',
  reports: 'deliver reports to other places',
  shards: 'divide the data over several database servers',
  webhooks: 'notify merchants of payments',
};
