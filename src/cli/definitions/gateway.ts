import type { CommandDefinition } from '../command-definition.js';
import { by, limit } from './shared-options.js';

/** The payment API and who may use it. */
export const gatewayCommands: readonly CommandDefinition[] = [
  {
    name: 'serve',
    summary:
      'answer the payment API over HTTP, make scheduled payments and deliver notifications until it is stopped',
    options: [
      ['--port <n>', 'listen on this port (default: http.port of the configuration; 0: any free port)'],
    ],
    exitCodes: [5, 6],
    examples: ['recon serve', 'recon serve --port 0 --json   # the first line names the address'],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/serve.js')).serve,
  },
  {
    name: 'jobs run',
    summary: 'make the scheduled payments that are due now, in test; `recon serve` makes them while it runs',
    exitCodes: [5, 6],
    examples: ['recon jobs run', 'recon jobs run --json'],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/jobs.js')).run,
  },
  {
    name: 'jobs list',
    summary: 'list the schedules of payments, each with its next and its latest payment',
    options: [['--status <status>', 'active, ended or deleted'], limit],
    exitCodes: [5, 6],
    examples: ['recon jobs list', 'recon jobs list --status active --json'],
    load: async () => (await import('../commands/jobs.js')).list,
  },
  {
    name: 'tokens create',
    summary: 'make an access token for the API; it is printed once and stored as a hash',
    options: [
      ['--entity <id...>', 'the entities that it acts for (required; may be repeated)'],
      ['--role <role>', 'payments (default), reports or backoffice (may be repeated)'],
      ['--environment <name>', 'test (default) or live'],
      by('makes it'),
    ],
    repeatable: ['--entity', '--role'],
    exitCodes: [5, 6],
    examples: [
      'recon tokens create --entity 8a8294174b7ecb28014b9699220015ca',
      'recon tokens create --entity 8a8294174b7ecb28014b9699220015ca --role payments --role reports --json',
    ],
    load: async () => (await import('../commands/tokens.js')).create,
  },
  {
    name: 'tokens list',
    summary: 'list the access tokens and when they were last used; never the tokens themselves',
    options: [limit],
    exitCodes: [5, 6],
    examples: ['recon tokens list', 'recon tokens list --json'],
    load: async () => (await import('../commands/tokens.js')).list,
  },
  {
    name: 'tokens revoke <id>',
    summary: 'make a token invalid at once, in every process',
    options: [by('revokes it')],
    exitCodes: [5, 6],
    examples: ['recon tokens revoke 3f2a9c1b7d20aa01'],
    load: async () => (await import('../commands/tokens.js')).revoke,
  },
  {
    name: 'tokens rotate <id>',
    summary: 'make a new token for the same entities and roles; the old one stays valid for a while',
    options: [
      ['--overlap <hours>', 'how long the old one stays valid (default: 24; at most 8760, a year)'],
      by('rotates it'),
    ],
    exitCodes: [5, 6],
    examples: [
      'recon tokens rotate 3f2a9c1b7d20aa01',
      'recon tokens rotate 3f2a9c1b7d20aa01 --overlap 1 --json',
    ],
    load: async () => (await import('../commands/tokens.js')).rotate,
  },
];
