import { fieldsOf } from '../fields/catalogue/catalogue.js';
import { parseParameterName } from '../fields/parse-parameter-name.js';
import type { ParameterValues } from '../fields/parameters.js';
import { isForShopper } from '../fields/shopper-fields.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { mayHaveNumber } from '../instruments/detect-brand.js';
import { holdsAccount } from '../secrets/own-numbers.js';
import { presentText, presentValue } from '../validation/present-value.js';
import { emptyParameters } from '../validation/empty-parameters.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';
import type { StoredRegistration } from '../stored-registrations/find-registration.js';
import { refusedName } from '../validation/refused-name.js';

/** The parameters of a form, and the violations by those that only the merchant may send, sorted by name. */
export interface ShopperForm {
  readonly received: ReceivedParameters;
  readonly refused: readonly ParameterError[];
}

const ofPayment = fieldsOf('payment');

/**
 * Reads a form that came from the browser of a shopper, without a token. It may send what `isForShopper` allows. It may
 * also repeat what the checkout sets, as many forms do with the amount, except for account numbers; the caller compares
 * the values. A name that no payment has stays, and is refused as such.
 */
export function readShopperForm(received: ReceivedParameters, checkout: ParameterValues): ShopperForm {
  const isRefused = (name: string) => {
    const reading = parseParameterName(name);
    if (!reading.ok || !ofPayment.has(reading.template)) return false;
    // The comparison with an account number of the checkout would tell a stranger whether it was guessed.
    return !isForShopper(reading.template) && (!Object.hasOwn(checkout, name) || holdsAccount(name));
  };
  const values: Record<string, unknown> = emptyParameters();
  const refused: string[] = [];
  for (const [name, value] of Object.entries(received.values)) {
    if (isRefused(name)) refused.push(name);
    else values[name] = value;
  }
  return {
    received: { ...received, values },
    refused: refused.sort().map((name) => refusedName(name, 'is accepted with a token only')),
  };
}

/**
 * An instrument that is not of the brand that is named. A shopper could otherwise choose the payment type or the
 * acquirer of another brand. A merchant may name any brand, and its acquirer decides.
 *
 * @param registered the registration that pays, if there is one
 */
export function otherBrand(
  parameters: ParameterValues,
  registered: StoredRegistration | undefined,
): readonly ParameterError[] {
  const { paymentBrand: brand, 'card.number': number } = parameters;
  if (brand === undefined) return [];
  const { paymentBrand: own = null, accountBin: bin = null } = registered ?? {};
  if (own === null ? bin !== null && !mayHaveNumber(brand, bin) : brand !== own) {
    const message = 'paymentBrand is not that of the registration';
    return [{ name: 'paymentBrand', value: presentText(brand), message }];
  }
  if (number === undefined || mayHaveNumber(brand, number)) return [];
  const value = presentValue(ofPayment.get('card.number'), number);
  return [{ name: 'card.number', value, message: `card.number is not the number of a ${brand} card` }];
}
