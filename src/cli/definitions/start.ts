import type { CommandDefinition } from '../command-definition.js';

/** What a new user calls first. */
export const startCommands: readonly CommandDefinition[] = [
  {
    name: 'demo',
    summary: 'make a complete run on sample data in ./recon-demo; nothing to configure',
    exitCodes: [5, 6],
    examples: ['recon demo'],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/demo.js')).demo,
  },
  {
    name: 'init',
    summary: 'write a configuration in which every setting is explained',
    options: [['--force', 'replace an existing file']],
    exitCodes: [6],
    examples: ['recon init', 'recon init --config /etc/recon/recon.config.yaml'],
    load: async () => (await import('../commands/init.js')).init,
  },
  {
    name: 'doctor',
    summary: 'check configuration, database, sources, folders and gateway, and report what is wrong',
    options: [
      ['--reports', 'also compare every report with its manifest, and every archived file with its SHA-256'],
      [
        '--since <duration>',
        'a run must have been completed within this time, such as 26h, 90m or 2d; sends alerts',
      ],
      [
        '--show-host-key <source>',
        'only show the host keys of an SFTP server, so that you can verify them; does not log in',
      ],
    ],
    exitCodes: [4, 5, 6, 8],
    exitMeanings: {
      4: 'a source could not be read',
      8: 'an expected file is missing past its deadline, or no run was completed within --since',
    },
    examples: [
      'recon doctor',
      'recon doctor --since 26h',
      'recon doctor --reports',
      'recon doctor --show-host-key acquirer',
    ],
    stopsAtSafePoint: true,
    load: async () => (await import('../commands/doctor.js')).doctor,
  },
];
