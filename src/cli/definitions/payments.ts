import type { CommandDefinition } from '../command-definition.js';
import { by, limit } from './shared-options.js';

/** Stored payments and their chargebacks. */
export const paymentCommands: readonly CommandDefinition[] = [
  {
    name: 'payments import <file>',
    summary: 'store existing payments: the whole file or nothing; the same file again changes nothing',
    options: [
      ['--allow-changes', 'store values that contradict those of stored payments; the old ones are kept'],
      ['--dry-run', 'list what would change, and store nothing'],
    ],
    exitCodes: [4, 5, 6],
    exitMeanings: { 4: 'the file could not be read' },
    examples: [
      'recon payments import payments.csv',
      'recon payments import payments.csv --dry-run',
      'recon payments import corrected.csv --allow-changes --json',
    ],
    load: async () => (await import('../commands/payments.js')).importFile,
  },
  {
    name: 'payments changes',
    summary: 'list what imports changed in stored payments: old and new value, file and time',
    options: [['--payment <id>', 'only those of this payment'], limit],
    exitCodes: [5, 6],
    examples: ['recon payments changes', 'recon payments changes --payment 8ac7a4a1000000000000000000000001'],
    load: async () => (await import('../commands/payments.js')).changes,
  },
  {
    name: 'payments export [file]',
    summary: 'write the stored payments in the import format',
    exitCodes: [5, 6],
    examples: ['recon payments export payments.csv', 'recon payments export > payments.csv'],
    load: async () => (await import('../commands/payments.js')).exportFile,
  },
  {
    name: 'chargebacks list',
    summary: 'list the chargebacks, the latest first, and how much of each was reversed',
    options: [
      ['--payment <id>', 'only those of this payment'],
      ['--status <status>', 'open, partly-reversed, reversed, failed or withdrawn'],
      limit,
    ],
    exitCodes: [5, 6],
    examples: [
      'recon chargebacks list',
      'recon chargebacks list --status open --json',
      'recon chargebacks list --payment 8ac7a4a1000000000000000000000001',
    ],
    load: async () => (await import('../commands/chargebacks.js')).list,
  },
  {
    name: 'chargebacks book <payment>',
    summary:
      'book a chargeback of a debit or capture that the acquirer reported outside the settlement files',
    options: [
      ['--amount <amount>', 'such as 12.50 (default: everything that is left)'],
      ['--reason-code <code>', 'the reason of the acquirer, 000.100.2nn (default: 000.100.200)'],
      by('books it'),
    ],
    exitCodes: [5, 6],
    examples: [
      'recon chargebacks book 8ac7a4a1000000000000000000000001 --reason-code 000.100.203',
      'recon chargebacks book 8ac7a4a1000000000000000000000001 --amount 12.50 --by anna --json',
    ],
    load: async () => (await import('../commands/chargebacks.js')).book,
  },
  {
    name: 'chargebacks reverse <chargeback>',
    summary: 'reverse a chargeback, even one that came with a settlement file',
    options: [
      ['--amount <amount>', 'such as 12.50 (default: everything that is not reversed yet)'],
      by('books it'),
    ],
    exitCodes: [5, 6],
    examples: ['recon chargebacks reverse 3f2a9c1b7d20aa013f2a9c1b7d20aa01 --by anna'],
    load: async () => (await import('../commands/chargebacks.js')).reverse,
  },
];
