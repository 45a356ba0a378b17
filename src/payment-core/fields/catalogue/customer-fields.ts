import { phone } from '../characters.js';
import { conditional, declareFields, optional, repeatFields } from '../field.js';
import { date, digits, oneOf, shape, text, trueOrFalse } from '../field-type.js';
import { purchaseKinds, shopperKinds } from '../request-kinds.js';

/** Customer (catalogue 2.6). */
export const customerFields = declareFields(
  { section: 'catalogue 2.6', prefix: 'customer.', kinds: shopperKinds },
  {
    merchantCustomerId: optional(text(255)),
    givenName: conditional(text(50)),
    middleName: optional(text(50, 2)),
    surname: conditional(text(50)),
    sex: optional(oneOf('M', 'F')),
    birthDate: optional(date),
    phone: optional(phone(25)),
    mobile: optional(phone(25)),
    workPhone: optional(text(25)),
    email: optional(text(128, 6)),
    companyName: optional(text(60)),
    identificationDocType: conditional(oneOf('IDCARD', 'PASSPORT', 'TAXSTATEMENT')),
    identificationDocId: conditional(text(64, 8)),
    ip: optional(text(255)),
    merchantReference: optional(text(255)),
    salutation: optional(oneOf('MR', 'MRS', 'MS', 'MX')),
    language: optional(shape(/^[A-Z]{2}$/, '2 capital letters', 'DE')),
    category: optional(oneOf('INDIVIDUAL', 'COMPANY')),
    status: optional(oneOf('NEW', 'EXISTING')),
    'browserFingerprint.id': optional(text(255), { note: 'the document shows `{base_url}` for its name' }),
    'browserFingerprint.value': optional(text(4096)),
    'browser.acceptHeader': conditional(text(2048)),
    'browser.language': conditional(text(8)),
    'browser.screenHeight': conditional(digits(6)),
    'browser.screenWidth': conditional(digits(6)),
    'browser.timezone': conditional(
      shape(/^(?=.{1,5}$)[+-]?\d{1,4}$/, 'minutes from UTC in 1-5 characters, negative when ahead', '-60'),
    ),
    'browser.userAgent': conditional(text(2048)),
    'browser.javaEnabled': conditional(trueOrFalse),
    'browser.screenColorDepth': optional(digits(2)),
    'browser.challengeWindow': optional(digits(1)),
    'browser.deviceId': optional(text(32)),
    'app.deviceId': optional(text(40)),
  },
);

/** Shipping customer (catalogue 2.7). */
export const shippingCustomerFields = repeatFields(
  { section: 'catalogue 2.7', prefix: 'shipping.', kinds: purchaseKinds },
  customerFields,
  [
    'customer.browserFingerprint.id',
    'customer.browserFingerprint.value',
    'customer.browser.deviceId',
    'customer.app.deviceId',
  ],
);
