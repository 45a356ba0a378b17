import { ReconError } from '../errors.js';
import type { Sql } from '../db/client.js';
import { suggestion } from '../values/closest-name.js';
import { findConnector, internalSimulator } from './connectors/connector.js';
import type { CoreSettings, PaymentCoreOptions } from './core-settings.js';
import { operations } from './core/throttling.js';
import { environments, isEnvironment } from './fields/request-kinds.js';
import { isKey } from './secrets/vault.js';
import { isObject } from '../values/is-object.js';

/** Returns what is wrong with the value of a setting, in sentences that never contain the value. */
type Check = (value: unknown, name: string) => readonly string[];

/** How each setting is checked; the compiler compares the names with those of `CoreSettings`. */
const checks: Readonly<Record<keyof CoreSettings, Check>> = {
  environment: (value, name) => unless(isEnvironment(value), `${name} must be ${environments.join(' or ')}`),
  encryptionKeys: checkKeys,
  connectors: checkConnectors,
  connectorTimeoutMs: checkMilliseconds,
  throttling: checkThrottling,
  checkoutStatusPerMinute: (value, name) =>
    unless(isWhole(value, 1), `${name} must be a whole number from 1`),
  logger: (value, name) => unless(isFunction(propertyOf(value, 'warn')), `${name} must have a function warn`),
  checkoutLifetimeMs: checkMilliseconds,
  clock: checkFunction,
  random: checkFunction,
  buildNumber: checkText,
  beginStoring: checkFunction,
  paymentScript: checkFunction,
  simulatorPage: checkFunction,
  schemeOf: checkFunction,
};

const required: ReadonlySet<string> = new Set<keyof CoreSettings>(['environment', 'encryptionKeys']);

const stores = ['sql', 'databaseUrl', 'dataDirectory'];

/**
 * Checks settings that no compiler may have checked. A setting that is undefined counts as left out.
 *
 * @throws ReconError USAGE_INVALID that names every wrong setting, without its value
 */
export function checkSettings(options: PaymentCoreOptions): void {
  const given: unknown = options;
  const problems = isObject(given) ? problemsOf(given) : ['the settings must be an object'];
  if (problems.length === 0) return;
  throw new ReconError('USAGE_INVALID', `createPaymentCore: ${problems.join('; ')}. Nothing was done.`);
}

function problemsOf(given: Readonly<Record<string, unknown>>): readonly string[] {
  const known = [...stores, ...Object.keys(checks)];
  const unknown = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => `there is no setting ${name}${suggestion(name, known)}`);
  const wrong = Object.entries(checks)
    .filter(([name]) => given[name] !== undefined || required.has(name))
    .flatMap(([name, check]) => check(given[name], name));
  return [...unknown, ...checkStore(given), ...wrong];
}

function checkStore(given: Readonly<Record<string, unknown>>): readonly string[] {
  const [store = '', ...others] = stores.filter((name) => given[name] !== undefined);
  if (store === '' || others.length > 0) return ['give exactly one of sql, databaseUrl and dataDirectory'];
  if (store !== 'sql') return checkText(given[store], store);
  if (!isFunction(given['sql'])) return ['sql must be a client of the postgres package'];
  return unless(
    readsBigInt(given['sql']),
    'sql must read int8 as bigint (types: { bigint: postgres.BigInt })',
  );
}

/** The type of an int8 is 20. The driver reads it as a text unless the client says otherwise. */
function readsBigInt(client: unknown): boolean {
  const { options } = Object(client) as Partial<Sql>;
  const parse = options?.parsers[20] as ((text: string) => unknown) | undefined;
  return typeof parse?.('1') === 'bigint';
}

function checkKeys(value: unknown, name: string): readonly string[] {
  const [current, keys, lookup] = ['current', 'keys', 'lookup'].map((key) => propertyOf(value, key));
  if (typeof current !== 'string' || !isObject(keys) || typeof lookup !== 'string') {
    return [`${name} must be an object with current, keys and lookup`];
  }
  return [
    ...Object.entries(keys).flatMap(([id, key]) =>
      unless(isKey(key), `${name}: key ${id} must be 64 hexadecimal digits`),
    ),
    ...unless(isKey(lookup), `${name}: the lookup key must be 64 hexadecimal digits`),
    ...unless(Object.hasOwn(keys, current), `${name} has no key ${current}`),
  ];
}

function checkConnectors(value: unknown, name: string): readonly string[] {
  const byBrand = propertyOf(value, 'byBrand') ?? {};
  if (!isObject(value) || !isObject(byBrand)) return [`${name} must be an object with byBrand or default`];
  const connectors = [
    ...Object.values(byBrand),
    ...(value['default'] === undefined ? [] : [value['default']]),
  ];
  if (!connectors.every(isConnector)) return [`${name}: each connector needs a name and a function process`];
  return unless(
    findConnector(value, { name: internalSimulator }) === undefined,
    `${name}: no connector may be named ${internalSimulator}`,
  );
}

const isConnector = (given: unknown) =>
  typeof propertyOf(given, 'name') === 'string' && isFunction(propertyOf(given, 'process'));

function checkThrottling(value: unknown, name: string): readonly string[] {
  if (!isObject(value)) return [`${name} must be an object of operations and their limits`];
  const supported: readonly string[] = operations;
  return Object.entries(value).flatMap(([operation, limit]) => {
    if (limit === undefined) return [];
    if (!supported.includes(operation)) {
      return [`${name}: there is no operation ${operation}${suggestion(operation, supported)}`];
    }
    return unless(
      isWhole(propertyOf(limit, 'requests'), 0) && isWhole(propertyOf(limit, 'windowSeconds'), 1),
      `${name}: ${operation} needs whole requests from 0 and windowSeconds from 1`,
    );
  });
}

function checkMilliseconds(value: unknown, name: string): readonly string[] {
  return unless(typeof value === 'number' && value > 0, `${name} must be a number of milliseconds above 0`);
}

function checkFunction(value: unknown, name: string): readonly string[] {
  return unless(isFunction(value), `${name} must be a function`);
}

function checkText(value: unknown, name: string): readonly string[] {
  return unless(typeof value === 'string' && value !== '', `${name} must be a text`);
}

const unless = (isRight: boolean, problem: string): readonly string[] => (isRight ? [] : [problem]);

const isFunction = (value: unknown) => typeof value === 'function';

const isWhole = (value: unknown, least: number) => Number.isSafeInteger(value) && Number(value) >= least;

const propertyOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
