import { cityCharacters, phone, postcodeCharacters, stateCharacters } from '../characters.js';
import { conditional, declareFields, each, optional, repeatFields } from '../field.js';
import { country, date, exactAmount, oneOf, text, textOf, uppercaseCountry } from '../field-type.js';
import { purchaseKinds, shopperKinds } from '../request-kinds.js';

const shippingMethods = [
  ...['CARRIER_DESIGNATED_BY_CUSTOMER', 'ELECTRONIC_DELIVERY', 'EXPEDITED', 'GROUND', 'INTERNATIONAL'],
  ...['LOWEST_COST', 'MILITARY', 'NEXT_DAY_OVERNIGHT', 'OTHER', 'POINT_PICKUP', 'PUDO', 'SAME_DAY_SERVICE'],
  ...['STORE_PICKUP', 'THREE_DAY_SERVICE', 'TWO_DAY_SERVICE'],
];

/** Billing address (catalogue 2.8). */
export const billingFields = declareFields(
  { section: 'catalogue 2.8', prefix: 'billing.', kinds: shopperKinds },
  {
    street1: conditional(text(100)),
    street2: conditional(text(100)),
    houseNumber1: optional(text(100)),
    houseNumber2: optional(text(100)),
    city: conditional(text(80)),
    state: conditional(textOf(stateCharacters, 50)),
    postcode: conditional(textOf(postcodeCharacters, 16)),
    country: conditional(uppercaseCountry),
    normalized: optional(text(255)),
    validationStatus: optional(text(255)),
  },
);

/** Merchant billing address (catalogue 2.9). */
export const merchantBillingFields = [
  ...repeatFields({ section: 'catalogue 2.9', prefix: 'merchant.', kinds: shopperKinds }, billingFields),
  ...declareFields(
    { section: 'catalogue 2.9', prefix: 'merchant.billing.', kinds: shopperKinds },
    {
      ...each(
        ['givenName', 'surname', 'middleName'],
        optional(text(255), { note: 'the document gives no length' }),
      ),
      companyName: optional(text(60)),
      ...each(['phone', 'workPhone'], optional(text(25))),
      mobile: optional(phone(25, 5)),
      email: optional(text(128, 6)),
    },
  ),
];

/** Shipping address (catalogue 2.10). */
export const shippingFields = declareFields(
  { section: 'catalogue 2.10', prefix: 'shipping.', kinds: purchaseKinds },
  {
    ...each(['street1', 'street2'], conditional(text(100))),
    houseNumber1: optional(text(100)),
    houseNumber2: optional(text(100)),
    city: conditional(textOf(cityCharacters, 80)),
    state: conditional(textOf(stateCharacters, 50)),
    postcode: conditional(textOf(postcodeCharacters, 16)),
    country: conditional(country('alpha-2')),
    method: conditional(oneOf(...shippingMethods)),
    cost: conditional(exactAmount),
    comment: conditional(text(160)),
    expectedDate: optional(date),
    ...each(['logisticsProvider', 'trackingNumber', 'returnTrackingNumber'], optional(text(255))),
    normalized: optional(text(255)),
    validationStatus: optional(text(255)),
    warehouse: optional(text(100)),
    preference: optional(oneOf('GET_FROM_FILE', 'NO_SHIPPING', 'SET_PROVIDED_ADDRESS'), {
      fallback: 'GET_FROM_FILE',
    }),
    middleName: optional(text(255), { note: 'the document gives no length' }),
    companyName: optional(text(60)),
    ...each(['phone', 'mobile'], optional(phone(25, 5))),
    workPhone: optional(text(25)),
    email: optional(text(128, 6)),
    type: optional(oneOf('RETURN', 'SHIPMENT')),
  },
);

/** Shipping from another location of the merchant (catalogue 2.10, last paragraph). */
export const merchantShippingFields = repeatFields(
  { section: 'catalogue 2.10', prefix: 'merchant.', kinds: purchaseKinds },
  shippingFields,
);
