import { maskCardNumbers } from '../../values/mask-card-numbers.js';
import type { ParameterValues } from '../fields/parameters.js';
import { catalogue } from '../fields/catalogue/catalogue.js';
import { parseParameterName } from '../fields/parse-parameter-name.js';
import type { Field } from '../fields/field.js';
import { cutterOf } from './own-numbers.js';

/** The parameters of a request, separated by how they may be stored. */
export interface SplitParameters {
  /** May be stored and echoed: without secrets, and without account numbers in free text. */
  readonly open: ParameterValues;
  /** Account numbers by parameter name: stored sealed or not at all. All other parameters are never stored. */
  readonly accounts: ParameterValues;
}

/** References that other systems compare letter by letter, so they are stored unchanged. */
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

/** Kinds of values that are not free text: an amount that contains the digits of an account is still an amount. */
const freeText: ReadonlySet<string> = new Set(['text', 'shape', 'url']);

/** What becomes of a value: `cut` is a free text, which may quote an account number. */
type Treatment = 'account' | 'drop' | 'keep' | 'cut';

/** By the name of the field, as one look-up: every parameter of every payment passes here. */
const treatments: ReadonlyMap<string, Treatment> = new Map(
  catalogue.map((field) => [field.name, treatmentOf(field)]),
);

function treatmentOf({ name, sensitivity, type }: Field): Treatment {
  if (sensitivity !== 'none') return sensitivity === 'account' ? 'account' : 'drop';
  return references.has(name) || !freeText.has(type.kind) ? 'keep' : 'cut';
}

/**
 * Separates the secrets of a request (design 7). Security codes, cryptograms and wallet tokens are dropped, and
 * account numbers are returned apart.
 *
 * @param cut the cutter of these parameters, if the caller needs it too
 */
export function splitSecrets(parameters: ParameterValues, cut = cutterOf(parameters)): SplitParameters {
  const open: Record<string, string> = {};
  const accounts: Record<string, string> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const reading = parseParameterName(name);
    // Names outside the catalogue were refused before. They are dropped here as well.
    if (!reading.ok) continue;
    const treatment = treatments.get(reading.template) ?? 'cut';
    if (treatment === 'account') accounts[name] = value;
    else if (treatment === 'keep') open[name] = value;
    else if (treatment === 'cut') open[name] = maskCardNumbers(cut(value));
  }
  return { open, accounts };
}
