import { ReconError } from '../errors.js';

const connections = {
  sql: 'a client',
  'sql or tx': 'a client or a transaction',
  tx: 'a transaction',
} as const;

/**
 * For functions of the package that take a connection as their first argument: a program may be plain JavaScript.
 *
 * @param operation names the function in the message
 * @throws ReconError USAGE_INVALID if the connection was left out
 */
export function requireConnection(operation: string, kind: keyof typeof connections, given: unknown): void {
  if (typeof given === 'function') return;
  const [name] = kind.split(' ');
  throw new ReconError(
    'USAGE_INVALID',
    `${operation}: ${name} must be ${connections[kind]} of the postgres package. Nothing was done.`,
  );
}
