import type { CommandDefinition } from '../command-definition.js';
import { by, limit } from './shared-options.js';

/** Where notifications are sent to (design 10), and what to do with those that were not delivered. */
export const webhookCommands: readonly CommandDefinition[] = [
  {
    name: 'webhooks add',
    summary: 'send notifications of an entity to a URL, and print the key that decrypts them, once',
    options: [
      ['--url <url>', 'where they are sent; https, or http to a host of webhooks.allowHosts (required)'],
      ['--entity <id>', 'the entity whose notifications are sent (required; may be repeated)'],
      ['--types <list>', 'PAYMENT, REGISTRATION or both, separated by a comma (default: both)'],
      ['--wrapper <name>', 'none (default): the body is the encrypted text; json: {"encryptedBody": TEXT}'],
      by('adds it'),
    ],
    repeatable: ['--entity'],
    exitCodes: [5, 6],
    examples: [
      'recon webhooks add --url https://shop.example/notify --entity 8a8294174b7ecb28014b9699220015ca',
      'recon webhooks add --url https://shop.example/notify --entity 8a8294174b7ecb28014b9699220015ca --types PAYMENT --wrapper json --json',
    ],
    load: async () => (await import('../commands/webhooks.js')).add,
  },
  {
    name: 'webhooks list',
    summary: 'list the webhooks, how many notifications wait for each, and why the last attempt failed',
    options: [limit],
    exitCodes: [5, 6],
    examples: ['recon webhooks list', 'recon webhooks list --json'],
    load: async () => (await import('../commands/webhooks.js')).list,
  },
  {
    name: 'webhooks test <id>',
    summary: 'send a notification of type test now',
    exitCodes: [1, 5, 6],
    exitMeanings: { 1: 'the receiver did not accept the notification' },
    examples: ['recon webhooks test 3f2a9c1b7d20aa01'],
    load: async () => (await import('../commands/webhooks.js')).test,
  },
  {
    name: 'webhooks pause <id>',
    summary: 'send nothing to a webhook until it is resumed; its notifications wait',
    exitCodes: [5, 6],
    examples: ['recon webhooks pause 3f2a9c1b7d20aa01'],
    load: async () => (await import('../commands/webhooks.js')).pause,
  },
  {
    name: 'webhooks resume <id>',
    summary: 'send at once what waits, even after failures or a 410',
    exitCodes: [5, 6],
    examples: ['recon webhooks resume 3f2a9c1b7d20aa01'],
    load: async () => (await import('../commands/webhooks.js')).resume,
  },
  {
    name: 'webhooks dead-letters',
    summary: 'list the notifications that were given up after 30 days',
    options: [['--webhook <id>', 'only those of this webhook'], limit],
    exitCodes: [5, 6],
    examples: [
      'recon webhooks dead-letters',
      'recon webhooks dead-letters --webhook 3f2a9c1b7d20aa01 --json',
    ],
    load: async () => (await import('../commands/webhooks.js')).deadLetters,
  },
  {
    name: 'webhooks retry <id>',
    summary: 'send again what was given up: all notifications of a webhook, or one',
    exitCodes: [5, 6],
    examples: [
      'recon webhooks retry 3f2a9c1b7d20aa01',
      'recon webhooks retry msg_6fa1c2d3e4b5968778695a4b3c2d1e0f',
    ],
    load: async () => (await import('../commands/webhooks.js')).retry,
  },
  {
    name: 'webhooks replay <id>',
    summary: 'send every notification since a moment again, including those that were received',
    options: [['--since <moment>', 'a day (in UTC) or a moment with its zone (required)']],
    exitCodes: [5, 6],
    examples: ['recon webhooks replay 3f2a9c1b7d20aa01 --since 2026-11-20T06:30:00Z'],
    load: async () => (await import('../commands/webhooks.js')).replay,
  },
  {
    name: 'webhooks remove <id>',
    summary: 'remove a webhook and what waits for it',
    exitCodes: [5, 6],
    examples: ['recon webhooks remove 3f2a9c1b7d20aa01'],
    load: async () => (await import('../commands/webhooks.js')).remove,
  },
];
