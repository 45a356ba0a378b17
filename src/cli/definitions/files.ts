import type { CommandDefinition } from '../command-definition.js';
import { by, reason, limit } from './shared-options.js';

/** Settlement files and the sources that they come from. */
export const fileCommands: readonly CommandDefinition[] = [
  {
    name: 'sources',
    summary: 'list the sources with their last file and their expected deliveries',
    exitCodes: [5, 6],
    examples: ['recon sources', 'recon sources --json'],
    load: async () => (await import('../commands/sources.js')).sources,
  },
  {
    name: 'files',
    summary: 'list the settlement files, the latest first',
    options: [
      ['--status <status>', 'received, loaded, rejected, retired or withdrawn'],
      ['--source <name>', 'only those of this source'],
      ['--run <id>', 'only those that this run loaded or rejected'],
      limit,
    ],
    exitCodes: [5, 6],
    examples: ['recon files', 'recon files --status rejected', 'recon files --run 17 --json'],
    load: async () => (await import('../commands/files.js')).files,
  },
  {
    name: 'files withdraw <file>',
    summary: 'exclude the records of a file from the next run on; they stay stored',
    options: [reason, by('decides')],
    exitCodes: [5, 6],
    examples: [
      'recon files withdraw settlement-2026-11-19.csv --reason "test data, says the acquirer"',
      'recon files withdraw a4001e25 --reason "wrong day" --by anna   # by its SHA-256',
      'recon files withdraw broken.csv --reason "replaced"   # rejected: re-runs no longer try it',
    ],
    load: async () => (await import('../commands/files.js')).withdraw,
  },
  {
    name: 'files restore <file>',
    summary: 'undo the withdrawal of a file: its records count again from the next run on',
    options: [reason, by('decides')],
    exitCodes: [5, 6],
    examples: ['recon files restore settlement-2026-11-19.csv --reason "it was right after all"'],
    load: async () => (await import('../commands/files.js')).restore,
  },
];
