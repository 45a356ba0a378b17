import { conditional, declareFields, each, optional } from '../field.js';
import {
  amount,
  country,
  currency,
  date,
  digits,
  exactAmount,
  number,
  oneOf,
  shape,
  text,
  trueOrFalse,
  url,
} from '../field-type.js';
import { purchaseKinds } from '../request-kinds.js';

const quantity = shape(
  /^\d{1,12}(?:\.\d{1,3})?$/,
  'up to 12 digits, optionally a dot and 1-3 decimals',
  '2.5',
);
const percentage = shape(
  /^(?=.{1,6}$)(?:0*100(?:\.0{1,2})?|0*\d{1,2}(?:\.\d{1,2})?)$/,
  'a percentage from 0 to 100 with up to 2 decimals',
  '19.00',
);

/** Cart items (catalogue 2.15). */
export const cartItemFields = declareFields(
  { section: 'catalogue 2.15', prefix: 'cart.items[n].', kinds: purchaseKinds },
  {
    name: conditional(text(255)),
    merchantItemId: conditional(text(255)),
    quantity: conditional(quantity),
    type: conditional(oneOf('PHYSICAL', 'DIGITAL', 'MIXED', 'ANONYMOUS_DONATION', 'AUTHORITIES_PAYMENT')),
    sku: optional(text(255)),
    currency: conditional(currency),
    description: conditional(text(2048)),
    commodityCode: optional(digits(8)),
    commodityDescription: optional(text(50)),
    originalPrice: optional(text(255)),
    price: conditional(exactAmount),
    totalAmount: conditional(exactAmount),
    taxAmount: conditional(exactAmount),
    totalTaxAmount: conditional(exactAmount),
    tax: conditional(percentage),
    taxCategory: conditional(oneOf('AA', 'S', 'E', 'Z')),
    shipping: conditional(amount),
    discount: conditional(exactAmount, { note: 'described as a percentage, but its type is N13' }),
    giftMessage: optional(text(255)),
    ...each(['shippingMethod', 'shippingInstructions', 'shippingTrackingNumber'], optional(text(255))),
    quantityUnit: optional(oneOf('M', 'CM', 'KG', 'G', 'COUNT'), { fallback: 'COUNT' }),
    ...each(['productUrl', 'imageUrl'], optional(url(1, 2048))),
    totalDiscountAmount: optional(amount),
    productCode: optional(text(30)),
    partNumber: optional(text(30)),
    itemNumber: optional(number(1, 999)),
    vatReferenceNumber: optional(text(30)),
    sellerId: optional(text(255)),
    'recipient.salutation': optional(text(5)),
    ...each(['recipient.firstName', 'recipient.lastName'], optional(text(48))),
    'recipient.middleName': optional(text(50)),
    'recipient.apartment': optional(text(100)),
    ...each(['recipient.street', 'recipient.address'], optional(text(100))),
    'recipient.city': optional(text(80)),
    'recipient.state': optional(text(50)),
    'recipient.postcode': optional(text(16)),
    'recipient.country': optional(country('alpha-2', 'numeric')),
    'recipient.phone': optional(digits(25)),
    'recipient.email': optional(text(128)),
    deliveryDate: optional(date),
  },
);

/** Payments already made toward the cart (catalogue 2.16). */
export const cartPaymentFields = declareFields(
  { section: 'catalogue 2.16', prefix: 'cart.payments[n].', kinds: purchaseKinds },
  {
    name: optional(text(255)),
    type: optional(oneOf('GIFTCARD', 'PROMOTION')),
    amount: optional(amount),
    currency: optional({ kind: 'currency', anyCase: true }),
    status: optional(oneOf('pending', 'authorized', 'captured')),
    brand: optional(text(255)),
    primary: optional(trueOrFalse),
  },
);

/** Sellers of a marketplace (catalogue 2.17). */
export const marketplaceFields = declareFields(
  { section: 'catalogue 2.17', prefix: 'marketPlace.sellers[n].', kinds: purchaseKinds },
  { id: optional(text(255)), amount: optional(exactAmount) },
);
