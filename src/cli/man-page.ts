import { exitCodeGuide } from '../error-guide.js';
import { exitCodes } from '../errors.js';
import type { PackageVersion } from '../package-version.js';
import type { CommandDefinition } from './command-definition.js';
import { globalOptions } from './global-options.js';

const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['RECON_DATABASE_URL', 'a PostgreSQL server instead of the embedded one; takes precedence over the file'],
  ['RECON_DATA_DIR', 'archive, reports and the embedded database; takes precedence over the file'],
  ['RECON_CONFIG', 'the configuration file, unless --config names one'],
  ['RECON_USER', 'who decides, unless --by names somebody'],
  ['RECON_ENCRYPTION_KEYS', 'the keys of the payment core as JSON'],
  ['RECON_ARCHIVE_KEYS', 'the keys of the archive as JSON'],
];

const files: readonly (readonly [name: string, meaning: string])[] = [
  ['recon.config.yaml', 'the configuration of the current folder; recon init writes it'],
  ['recon-data/reports', 'one folder of reports per run'],
  [
    'recon-data/archive',
    'every file as it was received, named by its SHA-256; encrypted with archive.encryptWith',
  ],
  ['recon-data/database', 'the embedded database, unless RECON_DATABASE_URL or databaseUrl names a server'],
  ['$(npm root -g)/recon/README.md', 'where the documentation begins'],
];

/** The manual page recon(1) in roff, made from the data of the commands; `npm run compile` writes it. */
export function manPage(commands: readonly CommandDefinition[], release: PackageVersion): string {
  const { version, releasedAt } = release;
  return [
    `.TH RECON 1 "${releasedAt.slice(0, 10)}" "recon ${version}" "User Commands"`,
    ...section('NAME'),
    text('recon') + ' \\- ' + text('reconcile settlement files with stored payments'),
    ...section('SYNOPSIS'),
    '.B recon',
    '.RI [ options ]\n.I command\n.RI [ arguments ]',
    ...section('DESCRIPTION'),
    text(
      'Fetches settlement files over SFTP, FTPS or FTP or from a folder, validates every row, matches the records with stored payments, assigns ids to chargebacks, and writes a discrepancy report for finance.',
    ),
    ...section('OPTIONS OF EVERY COMMAND'),
    ...globalOptions.flatMap(({ flags, description, choices }) =>
      entry(flags, choices === undefined ? description : `${description}: ${choices.join(', ')}`),
    ),
    ...entry('-h, --help', 'print help, with examples'),
    ...section('COMMANDS'),
    ...commands.flatMap(commandLines),
    ...section('EXIT STATUS'),
    // The keys of the literal; Object.keys loses their type.
    ...(Object.keys(exitCodes) as (keyof typeof exitCodes)[]).flatMap((name) =>
      entry(String(exitCodes[name]), exitCodeGuide[name].short),
    ),
    ...section('ENVIRONMENT'),
    ...environment.flatMap(([name, meaning]) => entry(name, meaning)),
    ...section('FILES'),
    ...files.flatMap(([name, meaning]) => entry(name, meaning)),
    '',
  ].join('\n');
}

function commandLines({ name, summary, options = [], examples }: CommandDefinition): string[] {
  return [
    `.SS ${quoted(`recon ${name}`)}`,
    text(summary),
    ...options.flatMap(([flags, description]) => entry(flags, description)),
    '.PP',
    'Examples:',
    '.PP',
    '.RS 4',
    '.nf',
    ...examples.map(text),
    '.fi',
    '.RE',
  ];
}

const section = (title: string) => [`.SH ${quoted(title)}`];

/** A term in bold, and what it means, indented below it. */
const entry = (term: string, meaning: string) => ['.TP', `.B ${quoted(term)}`, text(meaning)];

/** Roff reads a backslash, a hyphen, and a dot or an apostrophe at the beginning of a line specially. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll('~', '\\(ti')
    .replaceAll('’', '\\(cq')
    .replaceAll('…', '...')
    .replace(/^[.']/gm, '\\&$&');
}

/** The argument of a macro. */
const quoted = (plain: string) => `"${text(plain).replaceAll('"', '\\(dq')}"`;
