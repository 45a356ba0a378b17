import type { CommandDefinition } from '../command-definition.js';
import { by } from './shared-options.js';

/** Of commands that no run may accompany. */
const runsAlone = { 3: 'a run is active, or another command that no run may accompany' };

/** Commands that an operator needs rarely: retention, moving, shards, migrations, and completion for the shell. */
export const maintenanceCommands: readonly CommandDefinition[] = [
  {
    name: 'purge',
    summary: 'remove what is older than the settings of `retention` allow; never what is open or waiting',
    options: [
      ['--dry-run', 'only show what would be removed, and what is old and stays'],
      ['--as-of <date>', 'count ages to this day (default: today); a later day only with --dry-run'],
    ],
    exitCodes: [3, 5, 6],
    exitMeanings: runsAlone,
    examples: ['recon purge --dry-run', 'recon purge', 'recon purge --dry-run --as-of 2027-12-31 --json'],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/purge.js')).purge,
  },
  {
    name: 'archive encrypt',
    summary: 'encrypt the archived files that are plain or have an old key, with the key archive.encryptWith',
    options: [['--dry-run', 'only count them']],
    exitCodes: [3, 5, 6],
    exitMeanings: runsAlone,
    examples: ['recon archive encrypt --dry-run', 'recon archive encrypt'],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/archive.js')).encrypt,
  },
  {
    name: 'archive read <file> [target]',
    summary:
      'write a file as it was received; name it, or give its SHA-256 or the first eight digits of that',
    exitCodes: [5, 6],
    examples: [
      'recon archive read settlement-2026-11-19.csv > received.csv',
      'recon archive read 3fa94c07 received.csv',
    ],
    load: async () => (await import('../commands/archive.js')).read,
  },
  {
    name: 'retire',
    summary: 'detach the records of old months as tables that can be dumped and dropped',
    options: [
      [
        '--before <date>',
        'only whole months before this date, by the day on which their files were received (required)',
      ],
      ['--dry-run', 'only show what would be detached'],
    ],
    exitCodes: [3, 5, 6],
    exitMeanings: runsAlone,
    examples: ['recon retire --before 2025-01-01 --dry-run', 'recon retire --before 2025-01-01'],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/retire.js')).retire,
  },
  {
    name: 'move',
    summary: 'copy the database to another server, or back, verify it and mark the old one',
    options: [
      ['--to <url>', "the PostgreSQL server, or 'embedded' (put a password into PGPASSWORD, not here)"],
      ['--to-file <file>', 'read the URL from this file'],
    ],
    exitCodes: [3, 5, 6],
    exitMeanings: runsAlone,
    examples: ['recon move --to postgresql://recon@db.example/recon', 'recon move --to embedded'],
    load: async () => (await import('../commands/move.js')).move,
  },
  {
    name: 'shards add',
    summary:
      'add a database server for payments, records and results; existing data stays where it is until `shards divide`',
    options: [
      ['--name <name>', 'a name for the shard: lower-case letters and digits (required)'],
      [
        '--url <url>',
        'an empty PostgreSQL database under an address that the home server can reach (required; put a password into PGPASSWORD, not here)',
      ],
      by('adds it'),
    ],
    exitCodes: [5, 6],
    examples: [
      'recon shards add --name a --url postgresql://recon@db1.example/recon',
      'recon shards add --name b --url postgresql://recon@db2.example/recon',
    ],
    load: async () => (await import('../commands/shards.js')).add,
  },
  {
    name: 'shards divide',
    summary: 'move payments, records and results to the shards that were added, and verify every row',
    options: [by('divides them')],
    exitCodes: [3, 5, 6],
    exitMeanings: runsAlone,
    examples: ['recon shards divide', 'recon shards divide --json'],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/shards.js')).divide,
  },
  {
    name: 'shards remove <name>',
    summary: 'forget the shard that was added last, if no data is on shards yet',
    options: [by('removes it')],
    exitCodes: [5, 6],
    examples: ['recon shards remove b'],
    load: async () => (await import('../commands/shards.js')).remove,
  },
  {
    name: 'shards list',
    summary: 'list the shards and their addresses',
    exitCodes: [5, 6],
    examples: ['recon shards list', 'recon shards list --json'],
    load: async () => (await import('../commands/shards.js')).list,
  },
  {
    name: 'shards check',
    summary: 'ask each shard whether it can be used, and count its rows',
    exitCodes: [5, 6],
    examples: ['recon shards check', 'recon shards check --json'],
    load: async () => (await import('../commands/shards.js')).check,
  },
  {
    name: 'migrate',
    summary: 'update the database to the schema of this version',
    options: [['--check', 'only check whether it is current (exit code 5 if not)']],
    exitCodes: [5, 6],
    examples: ['recon migrate', 'recon migrate --check'],
    load: async () => (await import('../commands/migrate.js')).migrate,
  },
  {
    name: 'completion <shell>',
    summary: 'print a script with which bash, zsh or fish completes commands and options',
    exitCodes: [6],
    examples: [
      'recon completion bash > /etc/bash_completion.d/recon',
      'recon completion zsh > ~/.zfunc/_recon   # in a folder of fpath',
      'recon completion fish > ~/.config/fish/completions/recon.fish',
    ],
    loadPrinter: async () => (await import('../commands/completion.js')).completion,
  },
];
