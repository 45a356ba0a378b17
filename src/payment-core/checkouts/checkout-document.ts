import type { CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { splitSecrets } from '../secrets/split-secrets.js';
import type { Sealed } from '../secrets/vault.js';

/** The member with the sealed account numbers. No parameter has a name with a blank. */
export const sealedMember = 'sealed accounts';

/** The column of a checkout: its parameters, and the account numbers among them sealed. */
type CheckoutDocument = ParameterValues & { readonly [sealedMember]?: Sealed };

/** A checkout's parameters as they are stored. */
export interface StoredParameters {
  /** All that are not account numbers. */
  readonly open: ParameterValues;
  readonly sealed: Sealed | undefined;
}

/** The binding of a checkout's sealed account numbers: they open with this name only. */
export const boundToCheckout = (id: string): string => `checkout ${id}`;

/** Account numbers of the purchase. Those of the instrument belong to whoever pays, and come with the payment. */
const ofPurchase = /^(?:sender|recipient|risk|giftCard)\./;

/** What a checkout keeps of the parameters that were sent: nothing secret of the instrument. */
export function keptParameters(parameters: ParameterValues): ParameterValues {
  const { open, accounts } = splitSecrets(parameters);
  return {
    ...open,
    ...Object.fromEntries(Object.entries(accounts).filter(([name]) => ofPurchase.test(name))),
  };
}

/** The column of a checkout with these parameters, which `keptParameters` returned. */
export function writeDocument({ vault }: CoreContext, id: string, kept: ParameterValues): string {
  const { open, accounts } = splitSecrets(kept);
  if (Object.keys(accounts).length === 0) return JSON.stringify(open);
  return JSON.stringify({
    ...open,
    [sealedMember]: vault.seal(JSON.stringify(accounts), boundToCheckout(id)),
  });
}

/** Reads the column of a checkout. */
export function readDocument(column: string): StoredParameters {
  // `writeDocument` wrote it.
  const { [sealedMember]: sealed, ...open } = JSON.parse(column) as CheckoutDocument;
  return { open, sealed };
}

/** All parameters of a checkout, account numbers included. */
export function openDocument({ vault }: CoreContext, id: string, stored: StoredParameters): ParameterValues {
  const { open, sealed } = stored;
  if (sealed === undefined) return open;
  // `writeDocument` sealed this record.
  return { ...open, ...(JSON.parse(vault.open(sealed, boundToCheckout(id))) as ParameterValues) };
}
