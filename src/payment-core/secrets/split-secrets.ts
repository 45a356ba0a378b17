import { maskCardNumbers } from '../../values/mask-card-numbers.js';
import type { Parameters } from '../fields/parameters.js';
import { catalogue } from '../fields/catalogue.js';
import { parseParameterName } from '../fields/parse-parameter-name.js';
import { sensitiveFields } from '../fields/sensitive-fields.js';
import { cutterOf } from './own-numbers.js';

/** A request's parameters by what may happen to them. */
export interface SplitParameters {
  /** May be stored and echoed: nothing secret in it, card numbers and the request's own numbers cut in free text. */
  readonly open: Parameters;
  /** Account numbers by their names: stored sealed or not at all. What is in neither is never stored. */
  readonly accounts: Parameters;
}

const sensitivities: ReadonlyMap<string, string> = new Map(
  sensitiveFields().map(({ name, sensitivity }) => [name, sensitivity]),
);

/** References that others compare letter by letter, so they are kept as they came. */
const references: ReadonlySet<string> = new Set([
  'merchantTransactionId',
  'merchantInvoiceId',
  'entityId',
  'transactionLinkId',
  'lifecycleId',
  'standingInstruction.initialTransactionId',
  'standingInstruction.agreementId',
  'recurringMigration.connectorTxId1',
  'recurringMigration.connectorTxId2',
  'recurringMigration.connectorTxId3',
]);

/** Kinds of values that are no free text: an amount that holds the digits of an account is still an amount. */
const freeText: ReadonlySet<string> = new Set(['text', 'shape', 'url']);

const formatted: ReadonlySet<string> = new Set(
  catalogue.filter(({ type }) => !freeText.has(type.kind)).map(({ name }) => name),
);

function isKept(name: string): boolean {
  return references.has(name) || formatted.has(name);
}

/**
 * Takes secrets out of a request (design 7): security codes, cryptograms and wallet tokens
 * are dropped, account numbers set apart.
 */
export function splitSecrets(parameters: Parameters): SplitParameters {
  const open: Record<string, string> = {};
  const accounts: Record<string, string> = {};
  const cut = cutterOf(parameters);
  for (const [name, value] of Object.entries(parameters)) {
    const reading = parseParameterName(name);
    // What has no name in the catalogue was refused before; nothing of it is kept here either.
    if (!reading.ok) continue;
    const sensitivity = sensitivities.get(reading.template);
    if (sensitivity === 'account') accounts[name] = value;
    else if (sensitivity === undefined)
      open[name] = isKept(reading.template) ? value : maskCardNumbers(cut(value));
  }
  return { open, accounts };
}
