/** An option as data: its flags, what it does and, if they are few, the values that it takes. */
export interface GlobalOption {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
}

/** The options of every command. */
export const globalOptions: readonly GlobalOption[] = [
  {
    flags: '--config <file>',
    description: 'configuration file (default: RECON_CONFIG, else recon.config.yaml)',
  },
  { flags: '--json', description: 'one JSON document on standard output and nothing else' },
  { flags: '--quiet', description: 'print only errors' },
  {
    flags: '--log-level <level>',
    description: 'how much to log on standard error',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
  },
];
