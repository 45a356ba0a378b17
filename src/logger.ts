import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import { maskCardNumbers } from './values/mask-card-numbers.js';

export interface LoggerOptions {
  readonly level: string;
  /** Readable lines for a terminal instead of JSON. */
  readonly readable?: boolean;
}

const secrets = ['password', 'passphrase', 'privateKey', 'token', 'secret', 'cvv', 'url', 'databaseUrl'];

/**
 * The one logger. It writes to standard error, because standard output belongs to results. Paths of secrets
 * are redacted, and as redaction sees neither deep values nor message texts (measured), every line passes
 * through the mask for card numbers as a whole.
 */
export function createLogger({ level, readable = false }: LoggerOptions): Logger {
  const destination = readable
    ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname' })
    : pino.destination({ dest: 2, sync: true });
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secrets.flatMap((name) => [name, `*.${name}`]), censor: '***' },
      hooks: { streamWrite: maskCardNumbers },
    },
    destination,
  );
}

export type { Logger };
