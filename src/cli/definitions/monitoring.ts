import type { CommandDefinition } from '../command-definition.js';
import { limitWithCsv } from './shared-options.js';

/** Who did what, and what is wrong at present. */
export const monitoringCommands: readonly CommandDefinition[] = [
  {
    name: 'audit list',
    summary: 'list who did what and when, the latest first',
    options: [
      ['--action <name>', 'only this action, such as file.withdrawn, or a group of them, such as decision'],
      ['--by <name>', 'only what this person did'],
      ['--subject <text>', 'only what concerns this item, file, token, run or payment'],
      ['--from <date>', 'only events of this day (UTC) and later'],
      ['--to <date>', 'only events of this day (UTC) and earlier'],
      ['--csv', 'print all of them as CSV for a spreadsheet'],
      limitWithCsv,
    ],
    exitCodes: [5, 6],
    examples: [
      'recon audit list',
      'recon audit list --action decision --by anna',
      'recon audit list --from 2026-11-01 --to 2026-11-30 --csv > november.csv',
    ],
    load: async () => (await import('../commands/audit.js')).list,
  },
  {
    name: 'audit verify',
    summary: 'prove that no event of the audit log was changed, removed, inserted or moved',
    options: [
      [
        '--head <hash>',
        'the log must contain an event with this hash; every report has such a hash in manifest.json',
      ],
    ],
    exitCodes: [5, 6],
    examples: ['recon audit verify', 'recon audit verify --json'],
    load: async () => (await import('../commands/audit.js')).verify,
  },
  {
    name: 'alerts list',
    summary: 'show what is wrong at present, and which alerts wait to be sent',
    exitCodes: [5, 6],
    examples: ['recon alerts list', 'recon alerts list --json'],
    load: async () => (await import('../commands/alerts.js')).alertsList,
  },
  {
    name: 'alerts test',
    summary: 'send a test through every configured channel; exit with 2 if one fails',
    exitCodes: [6],
    examples: ['recon alerts test'],
    load: async () => (await import('../commands/alerts.js')).alertsTest,
  },
];
