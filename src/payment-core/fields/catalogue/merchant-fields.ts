import { declareFields, optional } from '../field.js';
import { country, shape, text, textOf, type Characters } from '../field-type.js';
import { purchaseKinds } from '../request-kinds.js';

const postcode: Characters = {
  pattern: /^[\p{L}\p{M}\p{Nd}-]*$/u,
  says: 'letters, digits and hyphens only',
  filler: '1',
};

const coordinates = shape(
  /^(?=.{1,20}$)[+-]?\d{1,2}(?:\.\d+)?, ?[+-]?\d{1,3}(?:\.\d+)?$/,
  'latitude,longitude in up to 20 characters',
  '48.13743,11.57549',
);

/** Merchant (catalogue 2.14). */
export const merchantFields = declareFields(
  { section: 'catalogue 2.14', prefix: 'merchant.', kinds: purchaseKinds },
  {
    name: optional(text(100), { note: 'overrides `descriptor`' }),
    mcc: optional(text(4)),
    street: optional(text(100)),
    city: optional(text(100)),
    state: optional(text(50)),
    countryCode: optional(country('numeric')),
    country: optional(country('alpha-2')),
    postcode: optional(textOf(postcode, 16)),
    geographicCoordinates: optional(coordinates),
    serviceLocationCity: optional(text(100)),
    serviceLocationState: optional(text(50)),
    serviceLocationCountryCode: optional(text(3)),
    serviceLocationPostCode: optional(text(16)),
    serviceLocationGeographicCoordinates: optional(text(20)),
    additionalContact: optional(text(255)),
    phone: optional(text(25)),
    customerContactPhone: optional(text(25)),
    websiteId: optional(text(255)),
    url: optional(text(255)),
    partnerIdCode: optional(text(60)),
    isoId: optional(text(255)),
    payFacId: optional(text(255)),
    payFacName: optional(text(255)),
    submerchantId: optional(text(100)),
    marketplaceId: optional(text(255)),
    taxId: optional(text(60)),
    'data[key]': optional(text(2048, 0)),
    foreignRetailIndicator: optional(text(25)),
    legalName: optional(text(100)),
    'app.schemeUrl': optional(text(255)),
  },
);
