import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMissing } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';
import type { SourceSettings } from '../remote/source-settings.js';
import { completeSources } from './complete-sources.js';
import { readConfigDocument, settingsDocument, type ConfigDocument } from './config-document.js';
import { settingsSchema, type ConfiguredSettings } from './config-schema.js';
import { readEnvironment, type Environment } from './environment.js';
import { reason, secretOf, type RawSettings, type Surrounding } from './read-secret.js';
import { issueSentence, tellIssues } from './setting-issues.js';

/** The configuration of the program: complete, validated, frozen. It holds secrets; see `maskConfig`. */
export interface ReconConfig {
  /** Where it was read from; null when there is no file. */
  readonly file: string | null;
  /** Absolute. */
  readonly dataDirectory: string;
  /** Null: the embedded database below `dataDirectory`. */
  readonly databaseUrl: string | null;
  readonly timezone: string;
  readonly settlementDueDays: number;
  readonly lookbackDays: number;
  /** The records of a file of this size or more get a separate table. */
  readonly largeFileBytes: number;
  readonly logLevel: string;
  readonly matching: { readonly attributes: { readonly enabled: boolean; readonly windowHours: number } };
  /** The permission bits of report files; folders get the execute bits that match. */
  readonly reports: { readonly fileMode: number };
  readonly schedule: { readonly cron: string; readonly timezone: string; readonly catchUpDays: number };
  readonly sources: readonly SourceSettings[];
  /** Files that hold secrets, the configuration among them when a password is written in it. Absolute. */
  readonly secretFiles: readonly { readonly what: string; readonly file: string }[];
  /** Sentences for the operator about what is allowed but unwise. */
  readonly warnings: readonly string[];
}

export const defaultConfigFile = 'recon.config.yaml';

/**
 * Reads file and environment into one configuration: `--config`, else RECON_CONFIG, else
 * `recon.config.yaml` in the current folder; where that last one does not exist, the defaults hold.
 * RECON_DATABASE_URL and RECON_DATA_DIR take precedence over the file.
 *
 * @param needsHostKeys false where an SFTP source may lack them, to ask the server for the ones to verify
 * @throws ReconError CONFIG_UNREADABLE, or CONFIG_INVALID with one line per problem, as
 *   `file:line:column setting: sentence`; no sentence holds a value, as it may be a secret.
 */
export function loadConfig(
  named: string | null,
  environment: Environment,
  cwd: string,
  { needsHostKeys = true }: { readonly needsHostKeys?: boolean } = {},
): ReconConfig {
  const file = named ?? environment.configFile ?? defaultConfigFile;
  const absolute = path.resolve(cwd, file);
  const text = readConfigFile(absolute, named !== null || environment.configFile !== null);
  const document = readConfigDocument(file, text ?? '', environment.variable);
  return completeConfig(document, environment, {
    file: text === undefined ? null : file,
    cwd,
    folder: path.dirname(absolute),
    needsHostKeys,
    text: text ?? '',
  });
}

/**
 * The configuration of a program that gives its settings as an object; nothing comes from file or environment, and
 * `${NAME}` in a value stays as it is.
 *
 * @throws ReconError CONFIG_INVALID with one line per problem, as `setting: sentence`
 */
export function settingsToConfig(settings: object, cwd: string): ReconConfig {
  const document = settingsDocument(settings);
  return completeConfig(document, readEnvironment({}), { file: null, cwd, folder: cwd, text: '' });
}

interface Places {
  readonly file: string | null;
  readonly cwd: string;
  /** Relative paths of the settings start here. */
  readonly folder: string;
  /** False for a person who is about to find out which host key a server has. */
  readonly needsHostKeys?: boolean;
  /** Of the configuration file. */
  readonly text: string;
}

function completeConfig(
  document: ConfigDocument,
  environment: Environment,
  { file, cwd, folder, text, needsHostKeys = true }: Places,
): ReconConfig {
  const warnings: string[] = [];
  const secretFiles: { what: string; file: string }[] = [];
  const noteSecret = (what: string, secretFile: string) => secretFiles.push({ what, file: secretFile });
  const surrounding: Surrounding = {
    folder,
    noteSecret,
    // A value that an environment variable gave does not stand in the text of the file.
    noteInline: (what, value) => {
      if (file !== null && holdsPassword(what, value) && text.includes(value)) {
        noteSecret(`holds ${what}`, path.resolve(cwd, file));
      }
    },
    problem: document.problem,
    warn: (sentence) => warnings.push(sentence),
    needsHostKeys,
  };
  const values = document.values ?? {};
  const parsed = settingsSchema.safeParse(values, { error: issueSentence });
  if (!parsed.success) tellIssues(parsed.error, settingsSchema, document.problem);
  const raw = isGroup(values) ? values : {};
  const settings = parsed.success ? parsed.data : undefined;
  const sources = completeSources(
    Array.isArray(raw['sources']) ? raw['sources'] : [],
    settings?.timezone ?? 'UTC',
    surrounding,
  );
  const databaseUrl = environment.databaseUrl ?? secretOf(raw, 'databaseUrl', [], surrounding);
  const problems = document.problems();
  if (settings === undefined || problems.length > 0) throw invalid(problems);
  return deepFreeze({
    ...assemble(settings, environment.dataDirectory, { cwd, folder }),
    file,
    databaseUrl,
    sources,
    secretFiles,
    warnings,
  });
}

/** The address of a database is only a secret when a password is in it. */
function holdsPassword(setting: string, value: string): boolean {
  return setting !== 'databaseUrl' || /\/\/[^/@]*:[^/@]+@|[?&]password=/.test(value);
}

/** The defaults alone, without file and environment: for the demo, which has nothing to configure. */
export function defaultConfig(dataDirectory: string): ReconConfig {
  const folders = { cwd: dataDirectory, folder: dataDirectory };
  const settings = settingsSchema.parse({ dataDirectory });
  const rest = { file: null, databaseUrl: null, sources: [], secretFiles: [], warnings: [] };
  return deepFreeze({ ...assemble(settings, null, folders), ...rest });
}

function isGroup(value: unknown): value is RawSettings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function assemble(
  settings: ConfiguredSettings,
  dataDirectory: string | null,
  { cwd, folder }: { cwd: string; folder: string },
): Omit<ReconConfig, 'file' | 'databaseUrl' | 'sources' | 'secretFiles' | 'warnings'> {
  const { timezone, settlementDueDays, lookbackDays, largeFileBytes, logLevel, matching, reports, schedule } =
    settings;
  return {
    dataDirectory:
      dataDirectory === null
        ? path.resolve(folder, settings.dataDirectory)
        : path.resolve(cwd, dataDirectory),
    timezone,
    settlementDueDays,
    lookbackDays,
    largeFileBytes,
    logLevel,
    matching,
    reports,
    schedule: { ...schedule, timezone: schedule.timezone ?? timezone },
  };
}

function readConfigFile(file: string, required: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (!required && isMissing(thrown)) return undefined;
    throw new ReconError('CONFIG_UNREADABLE', `The configuration ${file} cannot be read${reason(thrown)}.`, {
      cause: thrown,
    });
  }
}

function invalid(problems: readonly string[]): ReconError {
  const heading =
    problems.length === 1
      ? 'The configuration has a problem:'
      : `The configuration has ${problems.length} problems:`;
  return new ReconError('CONFIG_INVALID', [heading, ...problems].join('\n'));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
