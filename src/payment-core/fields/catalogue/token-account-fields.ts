import { expiryYear } from '../characters.js';
import { conditional, declareFields, optional, required } from '../field.js';
import { digits, oneOf, textOf, twoDigitCodes, type Characters } from '../field-type.js';
import { instrumentKinds } from '../request-kinds.js';

const base64: Characters = {
  pattern: /^[A-Za-z0-9+/]*={0,2}$/,
  says: 'base64 only',
  filler: 'A',
};

/** Token account (catalogue 2.5). */
export const tokenAccountFields = declareFields(
  { section: 'catalogue 2.5', prefix: 'tokenAccount.', kinds: instrumentKinds },
  {
    number: required(digits(19, 12), { sensitivity: 'account' }),
    type: required(oneOf('EXTERNAL', 'NETWORK')),
    expiryMonth: optional(twoDigitCodes(12)),
    expiryYear: optional(expiryYear),
    cryptogram: conditional(textOf(base64, 32, 28), { sensitivity: 'authentication' }),
    dtvc: conditional(digits(4, 3), { sensitivity: 'authentication' }),
  },
);
