import { expiryYear } from '../characters.js';
import { conditional, declareFields, optional, required } from '../field.js';
import { digits, oneOf, text, twoDigitCodes } from '../field-type.js';
import { instrumentKinds } from '../request-kinds.js';

/** Card account (catalogue 2.1). */
export const cardFields = declareFields(
  { section: 'catalogue 2.1', prefix: 'card.', kinds: instrumentKinds },
  {
    holder: optional(text(128, 3)),
    number: required(digits(32, 8), { sensitivity: 'account' }),
    expiryMonth: required(twoDigitCodes(12)),
    expiryYear: required(expiryYear),
    cvv: conditional(digits(4, 3), { sensitivity: 'authentication' }),
    numberType: optional(oneOf('PAN', 'DPAN')),
  },
);
