import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { noArchiveKeys } from '../archive/archive-keys.js';
import { isMissing } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';
import { completeAlerts } from './alerts-schema.js';
import { completeArchive } from './complete-archive.js';
import { completeSources } from './complete-sources.js';
import { completeTargets } from './complete-targets.js';
import { readConfigDocument, settingsDocument, type ConfigDocument } from './config-document.js';
import { settingsSchema, type ConfiguredSettings } from './config-schema.js';
import type { HttpSettings, WebhookSettings } from './http-schema.js';
import {
  environmentProblems,
  misspeltVariables,
  readEnvironment,
  type EnvironmentSettings,
} from './environment.js';
import { groupOf, isGroup, reason, secretOf, type Surrounding } from './read-secret.js';
import type { ReconConfig } from './recon-config.js';
import { issueSentence, reportIssues } from './setting-issues.js';

/** Read from the current folder, and written by `recon init`. */
export const defaultConfigFile = 'recon.config.yaml';

/**
 * Reads file and environment into one configuration: `--config`, else RECON_CONFIG, else `recon.config.yaml` in the
 * current folder; if that last file does not exist, the defaults apply. RECON_DATABASE_URL and RECON_DATA_DIR take
 * precedence over the file.
 *
 * @param needsHostKeys false if an SFTP source may lack host keys, because the command asks the server for them
 * @throws ReconError CONFIG_UNREADABLE, or CONFIG_INVALID with one line per problem, as `file:line:column setting:
 *   sentence`; no sentence contains a value, because it may be a secret.
 */
export function loadConfig(
  named: string | null,
  environment: EnvironmentSettings,
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
 * The configuration of a program that passes its settings as an object; nothing is read from a file or the environment,
 * and `${NAME}` in a value stays as it is.
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
  /** The folder that relative paths refer to. */
  readonly folder: string;
  /** False if the command shows the host keys of a server. */
  readonly needsHostKeys?: boolean;
  /** The text of the configuration file. */
  readonly text: string;
}

function completeConfig(
  document: ConfigDocument,
  environment: EnvironmentSettings,
  { file, cwd, folder, text, needsHostKeys = true }: Places,
): ReconConfig {
  const warnings = misspeltVariables(environment.names, text);
  const secretFiles: { what: string; file: string }[] = [];
  const noteSecret = (what: string, secretFile: string) => secretFiles.push({ what, file: secretFile });
  const surrounding: Surrounding = {
    folder,
    noteSecret,
    // A value from an environment variable is not in the text of the file.
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
  if (!parsed.success) reportIssues(parsed.error, settingsSchema, document.problem);
  const raw = groupOf(values);
  const settings = parsed.success ? parsed.data : undefined;
  const sources = completeSources(
    Array.isArray(raw['sources']) ? raw['sources'] : [],
    settings?.timezone ?? 'UTC',
    surrounding,
  );
  const targets = groupOf(raw['reports'])['deliverTo'];
  const deliverTo = completeTargets(Array.isArray(targets) ? targets : [], surrounding);
  const databaseUrl = environment.databaseUrl ?? secretOf(raw, 'databaseUrl', [], surrounding);
  const keyFile = settings?.http.tls?.keyFile;
  if (keyFile !== undefined) noteSecret('http.tls.keyFile', path.resolve(folder, keyFile));
  const alerts =
    settings === undefined ? undefined : completeAlerts(settings.alerts, raw['alerts'], surrounding);
  const keys = environment.encryptionKeys ?? keysOf(raw['paymentCore'], surrounding);
  const archive = completeArchive(groupOf(raw['archive']), environment.archiveKeys, surrounding);
  const problems = [...environmentProblems(environment), ...document.problems()];
  if (settings === undefined || alerts === undefined || problems.length > 0) throw invalid(problems);
  const assembled = assemble(settings, environment.dataDirectory, { cwd, folder });
  return deepFreeze({
    ...assembled,
    reports: { ...assembled.reports, deliverTo },
    file,
    placeOf: document.placeOf,
    databaseUrl,
    archive,
    alerts,
    paymentCore: { keys },
    sources,
    secretFiles,
    warnings,
  });
}

function keysOf(raw: unknown, surrounding: Surrounding): string | null {
  return isGroup(raw) ? secretOf({ keysFile: raw['keysFile'] }, 'keys', ['paymentCore'], surrounding) : null;
}

function withAbsoluteFiles(http: HttpSettings, folder: string): HttpSettings {
  if (http.tls === undefined) return http;
  const { certFile, keyFile } = http.tls;
  return {
    ...http,
    tls: { certFile: path.resolve(folder, certFile), keyFile: path.resolve(folder, keyFile) },
  };
}

function withAbsoluteAuthorities(webhooks: WebhookSettings, folder: string): WebhookSettings {
  const { caFile } = webhooks;
  return caFile === undefined ? webhooks : { ...webhooks, caFile: path.resolve(folder, caFile) };
}

/** The address of a database is a secret only if it contains a password. */
function holdsPassword(setting: string, value: string): boolean {
  return setting !== 'databaseUrl' || /\/\/[^/@]*:[^/@]+@|[?&]password=/.test(value);
}

const noChannels = { email: null, webhook: null, command: null };

/** Only the defaults, without file and environment; for the demo, which needs no configuration. */
export function defaultConfig(dataDirectory: string): ReconConfig {
  const folders = { cwd: dataDirectory, folder: dataDirectory };
  const settings = settingsSchema.parse({ dataDirectory });
  const { thresholds, overdueMinutes } = settings.alerts;
  const rest = {
    file: null,
    placeOf: () => null,
    databaseUrl: null,
    archive: noArchiveKeys,
    alerts: { ...noChannels, thresholds: { ...thresholds, newItems: null }, overdueMinutes },
    paymentCore: { keys: null },
    sources: [],
    secretFiles: [],
    warnings: [],
  };
  return deepFreeze({ ...assemble(settings, null, folders), ...rest });
}

function assemble(
  settings: ConfiguredSettings,
  dataDirectory: string | null,
  { cwd, folder }: { cwd: string; folder: string },
): Omit<
  ReconConfig,
  | 'file'
  | 'placeOf'
  | 'databaseUrl'
  | 'archive'
  | 'alerts'
  | 'paymentCore'
  | 'sources'
  | 'secretFiles'
  | 'warnings'
> {
  const { timezone, settlementDueDays, lookbackDays, largeFileBytes, logLevel } = settings;
  const { intake, worker, matching, reports, decisions, retention, schedule, http, metrics, webhooks } =
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
    intake,
    worker,
    logLevel,
    matching,
    reports: { ...reports, deliverTo: [] },
    decisions,
    http: withAbsoluteFiles(http, folder),
    webhooks: withAbsoluteAuthorities(webhooks, folder),
    retention,
    schedule: { ...schedule, timezone: schedule.timezone ?? timezone },
    metrics: { textfile: metrics.textfile === undefined ? null : path.resolve(folder, metrics.textfile) },
  };
}

function readConfigFile(file: string, required: boolean): string | undefined {
  try {
    return utf8Of(file, readFileSync(file));
  } catch (thrown) {
    if (thrown instanceof ReconError) throw thrown;
    if (!required && isMissing(thrown)) return undefined;
    throw new ReconError('CONFIG_UNREADABLE', `The configuration ${file} cannot be read${reason(thrown)}.`, {
      cause: thrown,
    });
  }
}

/** A zero byte is in every UTF-16 text of settings, with or without a byte order mark, and in none of UTF-8. */
function utf8Of(file: string, bytes: Buffer): string {
  if (bytes.includes(0)) {
    throw new ReconError(
      'CONFIG_UNREADABLE',
      `The configuration ${file} is not UTF-8 text, but probably UTF-16: save it as UTF-8.`,
    );
  }
  if (!isUtf8(bytes)) {
    throw new ReconError(
      'CONFIG_UNREADABLE',
      `The configuration ${file} is not UTF-8 text, but probably Windows-1252: save it as UTF-8.`,
    );
  }
  return bytes.toString('utf8');
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
