import { conditional, declareFields, optional } from '../field.js';
import { amount, oneOf, text, timestamp } from '../field-type.js';
import { accountKinds, changingKinds, instrumentKinds, purchaseKinds } from '../request-kinds.js';

/** Custom parameters (catalogue 2.21). */
export const customParameterFields = declareFields(
  { section: 'catalogue 2.21', prefix: '', kinds: changingKinds },
  { 'customParameters[key]': conditional(text(2048, 0)) },
);

/** Risk (catalogue 2.22). */
export const riskFields = declareFields(
  { section: 'catalogue 2.22', prefix: 'risk.', kinds: instrumentKinds },
  {
    channelId: optional(text(255)),
    serviceId: optional(text(255)),
    amount: optional(amount),
    orderTimestamp: optional(timestamp, { fallback: 'the moment of the request' }),
    brand: optional(text(255), { fallback: 'paymentBrand' }),
    'parameters[key]': optional(text(2048, 0)),
    merchantWebsite: optional(text(60)),
    accountToken: optional(text(64), { sensitivity: 'account' }),
  },
);

const occasions = [
  ...['ANNIVERSARY', 'BIRTHDAY', 'CONGRATULATIONS', 'APRIL_FOOLS_DAY', 'EASTER', 'FATHERS_DAY', 'GRADUATION'],
  ...['HOLIDAY', 'SEASONS_GREETINGS', 'PASSOVER', 'KWANZAA', 'HALLOWEEN', 'MOTHERS_DAY', 'NEW_YEARS_DAY'],
  ...['BOSSES_DAY', 'ST_PATRICKS_DAY', 'SWEETEST_DAY', 'CHRISTMAS', 'BABY_SHOWER', 'THANKSGIVING', 'OTHER'],
  ...['VALENTINES_DAY', 'WEDDING', 'SECRETARYS_DAY', 'CHINESE_NEW_YEAR', 'HANUKKAH', 'CELEBRATE_FALL'],
  ...['GRANDPARENTS_DAY', 'INDEPENDENCE_DAY'],
];

/** Gift card (catalogue 2.23). */
export const giftCardFields = declareFields(
  { section: 'catalogue 2.23', prefix: 'giftCard.', kinds: purchaseKinds },
  {
    number: optional(text(255, 2), { kinds: accountKinds, sensitivity: 'account' }),
    // It is never stored, so a checkout could only leave it out.
    pin: optional(text(255, 2), { kinds: ['payment', 'reference'], sensitivity: 'authentication' }),
    holder: optional(text(255, 2)),
    message: optional(text(160, 2)),
    // The type is AN16, but SEASONS_GREETINGS has 17 characters. The list of values takes precedence.
    type: optional(oneOf(...occasions)),
  },
);
