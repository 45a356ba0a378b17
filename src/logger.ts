import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { pino, type LogFn, type Logger } from 'pino';
import type { PinoPretty } from 'pino-pretty';
import { ReconError } from './errors.js';
import { maskCardNumbers } from './values/mask-card-numbers.js';

/** Which entries are written, how, and where. */
export interface LoggerOptions {
  readonly level: string;
  /** Readable lines for a terminal instead of JSON. */
  readonly readable?: boolean;
  readonly colour?: boolean;
  /** Default: standard error, because standard output is for results. */
  readonly write?: (text: string) => void;
}

/** Names of settings and fields whose values are never logged, at any depth. */
const secrets = new Set([
  'password',
  'passphrase',
  'privateKey',
  'token',
  'secret',
  'cvv',
  'url',
  'databaseUrl',
  'authorization',
]);
const censored = '***';

/**
 * The one logger. Secrets are redacted by name: by path for values bound to a logger, and by a walk through the logged
 * values, because paths do not reach deep values (measured). Card numbers are masked in the finished line, message
 * included. One entry is one line, whatever control characters it contains.
 */
export function createLogger({
  level,
  readable = false,
  colour = false,
  write = (text) => process.stderr.write(text),
}: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: [...secrets].flatMap((name) => [name, `*.${name}`]), censor: censored },
    formatters: { log: (entry: Record<string, unknown>) => withoutSecrets(entry, 0) },
    serializers: { err: describeError },
  };
  if (!readable) return pino({ ...options, hooks: { logMethod, streamWrite: safeLine } }, { write });
  // Only a terminal needs it, and it would delay the start of every command. Loggers are made without waiting.
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
  const stream = pretty({
    destination: new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        write(chunk.toString());
        done();
      },
    }),
    sync: true,
    colorize: colour,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    errorLikeObjectKeys: [],
  });
  const streamWrite = (line: string) => showEscapes(safeLine(line));
  return pino({ ...options, hooks: { logMethod, streamWrite } }, stream);
}

/** If only an error is logged, its message would become the line's message; only recon's own messages are safe. */
function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first, ...rest] = args as unknown[];
  if (!(first instanceof Error) || rest.length > 0) {
    method.apply(this, args);
    return;
  }
  const message = first instanceof ReconError ? first.message : 'an error';
  method.call(this, { err: first }, message);
}

function withoutSecrets(entry: Record<string, unknown>, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => {
      if (secrets.has(name) && value !== null && value !== undefined) return [name, censored];
      // An error is passed to its serializer unchanged.
      if (name === 'err' && depth === 0) return [name, value];
      return [name, safe(value, depth)];
    }),
  );
}

function safe(value: unknown, depth: number): unknown {
  if (value instanceof Error) return describeError(value);
  if (Array.isArray(value)) return value.map((each) => safe(each, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  // Deeper than anything that recon logs; the structure might be endless.
  return depth > 8 ? '…' : withoutSecrets({ ...value }, depth + 1);
}

/** Errors of drivers contain the values of their statements; only recon's own messages are safe to show. */
function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof ReconError) return { code: error.code, message: error.message };
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return { type: error instanceof Error ? error.name : typeof error, code };
}

/**
 * Characters that JSON does not escape but a terminal interprets: DEL, C1 controls, and marks that change the direction
 * of writing.
 */
const unprintable = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A finished line of JSON without card numbers and without characters that a terminal interprets. */
function safeLine(line: string): string {
  return maskCardNumbers(line).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A text as JSON for a line that is put together elsewhere, with the same protection. */
export function safeText(text: string): string {
  return safeLine(JSON.stringify(text));
}

/** Writes finished lines where the logger writes its own. Nothing in them is searched or changed. */
export function lineWriter(logger: Logger): (lines: string) => void {
  // pino's type does not have the members that its public symbols name.
  const { [pino.symbols.streamSym]: stream } = logger as unknown as Readonly<
    Record<typeof pino.symbols.streamSym, { write: (lines: string) => unknown }>
  >;
  return (lines) => {
    stream.write(lines);
  };
}

/**
 * Keeps escapes such as that of a line feed as they are in the JSON of the line: pretty printing does not interpret
 * them then.
 */
function showEscapes(line: string): string {
  return line.replace(/\\(["\\/]|u[0-9a-f]{4}|[bfnrt])/g, (escape, what: string) =>
    what === '"' || what === '\\' || what === '/' ? escape : `\\\\${what}`,
  );
}

export type { Logger };
