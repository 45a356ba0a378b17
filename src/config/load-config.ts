import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';
import type { z } from 'zod';
import { ReconError, messageOf } from '../errors.js';
import type { SourceSettings } from '../intake/remote/source-settings.js';
import { configSchema, type ConfigFile, type ConfiguredSource } from './config-schema.js';
import type { Environment } from './environment.js';
import { closest } from './closest-name.js';

/** The configuration of the program: complete, validated, frozen. */
export interface ReconConfig {
  /** Where it was read from; null when there is no file. */
  readonly file: string | null;
  readonly dataDirectory: string;
  /** Null: the embedded database below `dataDirectory`. */
  readonly databaseUrl: string | null;
  readonly timezone: string;
  readonly settlementDueDays: number;
  readonly lookbackDays: number;
  readonly logLevel: string;
  readonly attributes: { readonly enabled: boolean; readonly windowHours: number };
  readonly schedule: { readonly cron: string; readonly timezone: string; readonly catchUpDays: number };
  readonly sources: readonly SourceSettings[];
}

export const defaultConfigFile = 'recon.config.yaml';

/** Gathers what is wrong, so that all of it can be told at once. */
interface Findings {
  add(at: readonly PropertyKey[], sentence: string): void;
}

/**
 * Reads file and environment into one configuration. Without a file (none named, none in the folder) the
 * defaults hold.
 *
 * @throws ReconError CONFIG_UNREADABLE, or CONFIG_INVALID with every problem as `file:line:column setting: sentence`.
 */
export function loadConfig(named: string | null, environment: Environment, cwd: string): ReconConfig {
  const file = named ?? environment.configFile ?? defaultConfigFile;
  const text = readConfigFile(path.resolve(cwd, file), named !== null || environment.configFile !== null);
  const lines = new LineCounter();
  const document = parseDocument(text ?? '', { lineCounter: lines, prettyErrors: false });
  const problems: string[] = [];
  const where = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  for (const error of document.errors) problems.push(`${where(error.pos[0])} ${error.message}`);
  if (problems.length > 0) throw invalid(problems);
  const findings: Findings = {
    add: (at, sentence) => {
      const setting = at.map((part) => String(part)).join('.');
      problems.push(`${where(offsetOf(document, at))} ${setting === '' ? '' : `${setting}: `}${sentence}`);
    },
  };
  insertVariables(document, environment, (offset, sentence) => problems.push(`${where(offset)} ${sentence}`));
  const parsed = configSchema.safeParse(document.toJS() ?? {});
  if (!parsed.success) tellIssues(parsed.error, findings);
  const folder = path.dirname(path.resolve(cwd, file));
  const config = parsed.success ? complete(parsed.data, { environment, cwd, folder, findings }) : undefined;
  if (problems.length > 0 || config === undefined) throw invalid(problems);
  return deepFreeze({ ...config, file: text === undefined ? null : file });
}

function invalid(problems: readonly string[]): ReconError {
  return new ReconError(
    'CONFIG_INVALID',
    `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.join('\n')}`,
  );
}

function readConfigFile(file: string, required: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (!required && (thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ReconError(
      'CONFIG_UNREADABLE',
      `The configuration ${file} cannot be read: ${messageOf(thrown).split(',')[0] ?? ''}.`,
      { cause: thrown },
    );
  }
}

/** `${NAME}` takes an environment variable; its value is never part of a message. */
function insertVariables(
  document: Document.Parsed,
  environment: Environment,
  tell: (offset: number, sentence: string) => void,
): void {
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value !== 'string') return;
      node.value = node.value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_all, name: string) => {
        const value = environment.variable(name);
        if (value === undefined) tell(node.range?.[0] ?? 0, `the environment variable ${name} is not set`);
        return value ?? '';
      });
    },
  });
}

/** Where a setting stands in the text, or the nearest thing around it that does. */
function offsetOf(document: Document.Parsed, at: readonly PropertyKey[]): number {
  for (let depth = at.length; depth > 0; depth -= 1) {
    const node: unknown = document.getIn(at.slice(0, depth), true);
    if (isScalar(node) || (typeof node === 'object' && node !== null && 'range' in node)) {
      return (node as { range?: [number, number, number] | null }).range?.[0] ?? 0;
    }
  }
  return 0;
}

function tellIssues(error: z.ZodError, findings: Findings): void {
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys') {
      findings.add(issue.path, issue.message.replace(/^Invalid input: /, ''));
      continue;
    }
    for (const key of issue.keys) {
      const guess = closest(key, settingNames);
      findings.add(
        [...issue.path, key],
        `is not a setting${guess === undefined ? '' : `; did you mean ${guess}?`}`,
      );
    }
  }
}

/** Every name a setting can have, for guessing what a misspelt one meant. */
const settingNames: readonly string[] = [
  ...Object.keys(configSchema.shape),
  ...['attributes', 'enabled', 'windowHours', 'cron', 'catchUpDays'],
  ...configSchema.shape.sources.unwrap().element.options.flatMap((option) => Object.keys(option.shape)),
];

interface Completion {
  readonly environment: Environment;
  readonly cwd: string;
  /** Relative paths in the file are meant from here. */
  readonly folder: string;
  readonly findings: Findings;
}

function complete(file: ConfigFile, context: Completion): Omit<ReconConfig, 'file'> {
  const { environment, cwd, folder, findings } = context;
  const names = file.sources.map((source) => source.name);
  names.forEach((name, index) => {
    if (names.indexOf(name) !== index) findings.add(['sources', index, 'name'], `"${name}" is used twice`);
  });
  return {
    dataDirectory:
      environment.dataDirectory === null
        ? path.resolve(folder, file.dataDirectory)
        : path.resolve(cwd, environment.dataDirectory),
    databaseUrl: environment.databaseUrl ?? secretOf(file, 'databaseUrl', [], context),
    timezone: file.timezone,
    settlementDueDays: file.settlementDueDays,
    lookbackDays: file.lookbackDays,
    logLevel: file.logLevel,
    attributes: file.matching.attributes,
    schedule: { ...file.schedule, timezone: file.schedule.timezone ?? file.timezone },
    sources: file.sources.map((source, index) =>
      completeSource(source, file.timezone, ['sources', index], context),
    ),
  };
}

function completeSource(
  source: ConfiguredSource,
  timezone: string,
  at: readonly PropertyKey[],
  context: Completion,
): SourceSettings {
  const { findings } = context;
  const common = { ...source, timezone: source.timezone ?? timezone };
  if (source.protocol === 'local') {
    return { ...common, protocol: 'local', folder: path.resolve(context.folder, source.folder) };
  }
  const password = secretOf(source, 'password', at, context);
  if (source.protocol === 'sftp') {
    const privateKey = readSecretFile(source.privateKeyFile, [...at, 'privateKeyFile'], context, true);
    if (password === null && privateKey === null)
      findings.add(at, 'an sftp source needs passwordFile, password or privateKeyFile');
    if (source.hostKeys.length === 0 && source.knownHostsFile === undefined) {
      findings.add(
        at,
        'an sftp source needs hostKeys or knownHostsFile: a host key is never accepted blindly',
      );
    }
    return {
      ...common,
      protocol: 'sftp',
      password,
      privateKey,
      passphrase: secretOf(source, 'passphrase', at, context),
      knownHostsFile:
        source.knownHostsFile === undefined ? null : path.resolve(context.folder, source.knownHostsFile),
    } as SourceSettings;
  }
  if (password === null) findings.add(at, `an ${source.protocol} source needs passwordFile or password`);
  if (source.protocol === 'ftp') {
    if (!source.allowInsecure)
      findings.add(
        [...at, 'allowInsecure'],
        'plain FTP sends passwords in the clear; set allowInsecure: true to use it all the same',
      );
    return {
      ...common,
      protocol: 'ftp',
      password,
      tls: null,
      certificateAuthority: null,
      serverName: null,
    } as SourceSettings;
  }
  return {
    ...common,
    protocol: 'ftps',
    password,
    port: source.port ?? (source.tls === 'implicit' ? 990 : 21),
    certificateAuthority: readSecretFile(source.caFile, [...at, 'caFile'], context, false),
    serverName: source.serverName ?? null,
    allowInsecure: false,
  } as SourceSettings;
}

/** `name` itself, or the content of the file that `nameFile` points at; both at once is a mistake. */
function secretOf(
  settings: object,
  name: string,
  at: readonly PropertyKey[],
  context: Completion,
): string | null {
  const values = settings as Record<string, string | undefined>;
  const [value, file] = [values[name], values[`${name}File`]];
  if (value !== undefined && file !== undefined)
    context.findings.add([...at, name], `${name} and ${name}File exclude each other`);
  return value ?? readSecretFile(file, [...at, `${name}File`], context, false);
}

function readSecretFile(
  file: string | undefined,
  at: readonly PropertyKey[],
  context: Completion,
  isPrivate: boolean,
): string | null {
  if (file === undefined) return null;
  const resolved = path.resolve(context.folder, file);
  try {
    if (isPrivate && (statSync(resolved).mode & 0o077) !== 0) {
      context.findings.add(at, `${file} may be read by others; chmod 600 it`);
    }
    return readFileSync(resolved, 'utf8').replace(/\r?\n$/, '');
  } catch (thrown) {
    context.findings.add(at, `${file} cannot be read (${(thrown as NodeJS.ErrnoException).code ?? 'error'})`);
    return null;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
