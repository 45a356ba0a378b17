import { findConnector, internalSimulator } from './connectors/connector.js';
import type { CoreSettings, PaymentCoreOptions } from './core-settings.js';
import { checkEnvironment } from './fields/request-kinds.js';
import { operations } from './core/throttling.js';

/** How each setting is checked; the compiler compares the names with those of `CoreSettings`. */
const checks: Readonly<Record<keyof CoreSettings, (value: unknown, name: string) => void>> = {
  environment: checkEnvironment,
  encryptionKeys: checkKeys,
  connectors: checkConnectors,
  connectorTimeoutMs: checkMilliseconds,
  throttling: checkThrottling,
  checkoutStatusPerMinute: (value, name) => {
    if (!isWhole(value, 1)) throw new Error(`${name} must be a whole number from 1`);
  },
  logger: (value, name) => {
    if (typeof propertyOf(value, 'warn') !== 'function') throw new Error(`${name} must have a function warn`);
  },
  checkoutLifetimeMs: checkMilliseconds,
  clock: checkFunction,
  random: checkFunction,
  buildNumber: checkText,
  beginStoring: checkFunction,
  paymentScript: checkFunction,
  simulatorPage: checkFunction,
  schemeOf: checkFunction,
};

const stores = ['sql', 'databaseUrl', 'dataDirectory'];

/**
 * Checks settings that no compiler may have checked. A setting that is undefined counts as left out.
 *
 * @throws Error that names the first wrong setting, without its value
 */
export function checkSettings(options: PaymentCoreOptions): void {
  const given: unknown = options;
  if (!isObject(given)) throw new Error('the settings must be an object');
  const known: Readonly<Record<string, (value: unknown, name: string) => void>> = checks;
  for (const name of Object.keys(given)) {
    if (known[name] === undefined && !stores.includes(name)) throw new Error(`there is no setting ${name}`);
  }
  checkStore(given);
  for (const [name, check] of Object.entries(known)) {
    const isRequired = name === 'environment' || name === 'encryptionKeys';
    if (given[name] !== undefined || isRequired) check(given[name], name);
  }
}

function checkStore(given: Readonly<Record<string, unknown>>): void {
  const [store = '', ...others] = stores.filter((name) => given[name] !== undefined);
  if (store === '' || others.length > 0)
    throw new Error('give exactly one of sql, databaseUrl and dataDirectory');
  if (store !== 'sql') checkText(given[store], store);
  else if (typeof given['sql'] !== 'function')
    throw new Error('sql must be a client of the postgres package');
}

/** The vault checks the keys themselves. */
function checkKeys(value: unknown, name: string): void {
  const isComplete =
    typeof propertyOf(value, 'current') === 'string' &&
    isObject(propertyOf(value, 'keys')) &&
    typeof propertyOf(value, 'lookup') === 'string';
  if (!isComplete) throw new Error(`${name} must be an object with current, keys and lookup`);
}

function checkConnectors(value: unknown, name: string): void {
  const byBrand = propertyOf(value, 'byBrand') ?? {};
  if (!isObject(value) || !isObject(byBrand))
    throw new Error(`${name} must be an object with byBrand or default`);
  const connectors = [
    ...Object.values(byBrand),
    ...(value['default'] === undefined ? [] : [value['default']]),
  ];
  for (const connector of connectors) {
    const isConnector =
      typeof propertyOf(connector, 'name') === 'string' &&
      typeof propertyOf(connector, 'process') === 'function';
    if (!isConnector) throw new Error(`${name}: each connector needs a name and a function process`);
  }
  if (findConnector(value, { name: internalSimulator }) !== undefined) {
    throw new Error(`${name}: no connector may be named ${internalSimulator}`);
  }
}

function checkThrottling(value: unknown, name: string): void {
  if (!isObject(value)) throw new Error(`${name} must be an object of operations and their limits`);
  const supported: ReadonlySet<string> = new Set(operations);
  for (const [operation, limit] of Object.entries(value)) {
    if (limit === undefined) continue;
    if (!supported.has(operation)) throw new Error(`${name}: there is no operation ${operation}`);
    if (!isWhole(propertyOf(limit, 'requests'), 0) || !isWhole(propertyOf(limit, 'windowSeconds'), 1)) {
      throw new Error(`${name}: ${operation} needs whole requests from 0 and windowSeconds from 1`);
    }
  }
}

function checkMilliseconds(value: unknown, name: string): void {
  if (typeof value === 'number' && value > 0) return;
  throw new Error(`${name} must be a number of milliseconds above 0`);
}

function checkFunction(value: unknown, name: string): void {
  if (typeof value !== 'function') throw new Error(`${name} must be a function`);
}

function checkText(value: unknown, name: string): void {
  if (typeof value !== 'string' || value === '') throw new Error(`${name} must be a text`);
}

const isWhole = (value: unknown, least: number) => Number.isSafeInteger(value) && Number(value) >= least;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const propertyOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
