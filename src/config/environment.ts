import { keysSentence, parseArchiveKeys } from '../archive/archive-keys.js';
import { closestName } from '../values/closest-name.js';

/** Environment variables by name. `cli/main.ts` passes those of the process, a test passes its own. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The settings that the program reads from environment variables. */
export interface EnvironmentSettings {
  readonly databaseUrl: string | null;
  readonly dataDirectory: string | null;
  readonly configFile: string | null;
  /** The keys of the payment core as JSON; they take precedence over `paymentCore.keysFile`. */
  readonly encryptionKeys: string | null;
  /** The keys of the archive as JSON; they take precedence over `archive.keysFile`. */
  readonly archiveKeys: string | null;
  /** Who decides, where `--by` does not say it. */
  readonly user: string | null;
  /** The fail point at which the process ends; for tests of recovery. */
  readonly failAt: string | undefined;
  /** Value of any variable, for `${NAME}` in the configuration. */
  readonly variable: (name: string) => string | undefined;
  /** The names that are set, for the detection of misspelt ones. */
  readonly names: readonly string[];
}

const ownNames = [
  'RECON_DATABASE_URL',
  'RECON_DATA_DIR',
  'RECON_CONFIG',
  'RECON_ENCRYPTION_KEYS',
  'RECON_ARCHIVE_KEYS',
  'RECON_USER',
];

/**
 * A warning for each variable whose name is almost that of a setting: otherwise a run would use the embedded database,
 * without a message, because of one wrong letter. Short names are too similar to each other.
 *
 * @param text the configuration file, which may use variables with any name
 */
export function misspeltVariables(names: readonly string[], text: string): string[] {
  return names
    .filter((name) => /^RECON_.{5,}/.test(name) && !ownNames.includes(name) && !text.includes(`\${${name}}`))
    .flatMap((name) => {
      const meant = closestName(name, ownNames);
      return meant === undefined
        ? []
        : [`the environment variable ${name} has no effect; did you mean ${meant}?`];
    });
}

/** An empty variable counts as one that is not set, one of blanks does not: it would name a folder of blanks. */
export function environmentProblems({ dataDirectory, archiveKeys }: EnvironmentSettings): string[] {
  const problems: string[] = [];
  if (dataDirectory?.trim() === '')
    problems.push(
      'the environment variable RECON_DATA_DIR must not consist only of blanks; write the path of a folder, or unset it',
    );
  if (archiveKeys !== null && parseArchiveKeys(archiveKeys) === undefined)
    problems.push(`the environment variable RECON_ARCHIVE_KEYS ${keysSentence}`);
  return problems;
}

const orNull = (value: string | undefined) => (value === undefined || value === '' ? null : value);

/** An empty variable counts as one that is not set. */
export function readEnvironment(variables: EnvironmentVariables): EnvironmentSettings {
  return {
    databaseUrl: orNull(variables['RECON_DATABASE_URL']),
    dataDirectory: orNull(variables['RECON_DATA_DIR']),
    configFile: orNull(variables['RECON_CONFIG']),
    encryptionKeys: orNull(variables['RECON_ENCRYPTION_KEYS']),
    archiveKeys: orNull(variables['RECON_ARCHIVE_KEYS']),
    user: orNull(variables['RECON_USER']),
    failAt: orNull(variables['RECON_FAIL_AT']) ?? undefined,
    variable: (name) => variables[name],
    names: Object.keys(variables).filter((name) => orNull(variables[name]) !== null),
  };
}
