import type { CommandDefinition } from '../command-definition.js';
import { days, limit } from './shared-options.js';

/** What a run found, and why. */
export const findingCommands: readonly CommandDefinition[] = [
  {
    name: 'explain <record>',
    summary:
      'explain why a record matched as it did: FILE:LINE, UniqueID, SettlementTxId or DiscrepancyId (or its first digits)',
    options: [
      ['--sql', 'print the statements that match and check the record, as a read-only psql script'],
      days,
    ],
    exitCodes: [5, 6],
    examples: [
      'recon explain settlement-2026-11-19.csv:17',
      'recon explain STL-000901',
      'recon explain STL-000901 --sql > explain.sql',
    ],
    load: async () => (await import('../commands/explain.js')).explain,
  },
  {
    name: 'discrepancies',
    summary: 'list the discrepancies, most severe first',
    options: [
      ['--code <code>', 'only this code, such as NOT_MATCHED'],
      ['--severity <severity>', 'only this severity: error, warning or info'],
      ['--open', 'only those that are still open (the default)'],
      ['--all', 'include those that were resolved'],
      ['--from <date>', 'settlement date of the record (or day of the payment), first day'],
      ['--to <date>', 'the same, last day'],
      ['--run <id>', 'only those that this run was the first to find'],
      limit,
    ],
    exitCodes: [5, 6],
    examples: [
      'recon discrepancies',
      'recon discrepancies --severity error --limit 500',
      'recon discrepancies --code AMOUNT_MISMATCH --from 2026-11-19 --json',
    ],
    load: async () => (await import('../commands/discrepancies.js')).discrepancies,
  },
  {
    name: 'diff <before> <after>',
    summary: 'compare two files by record and cell, or two runs (run:3 run:4) by finding',
    options: [['--csv', 'print the comparison as CSV for a spreadsheet, with a line for each cell']],
    exitCodes: [5, 6],
    examples: [
      'recon diff settlement-2026-11-18.csv a4001e25',
      'recon diff run:3 run:4 --json',
      'recon diff run:3 run:4 --csv > changes.csv',
    ],
    load: async () => (await import('../commands/diff.js')).diff,
  },
];
