import { lettersAndDigits, lettersAndHyphens } from '../characters.js';
import { conditional, declareFields, required } from '../field.js';
import { country, date, shape, text, textOf } from '../field-type.js';
import { instrumentKinds, purchaseKinds } from '../request-kinds.js';

/** Virtual account (catalogue 2.3). */
export const virtualAccountFields = declareFields(
  { section: 'catalogue 2.3', prefix: 'virtualAccount.', kinds: instrumentKinds },
  { accountId: required(text(100), { sensitivity: 'account' }) },
);

/** Bank account (catalogue 2.4). */
export const bankAccountFields = declareFields(
  { section: 'catalogue 2.4', prefix: '', kinds: instrumentKinds },
  {
    'bankAccount.holder': required(text(128, 4)),
    'bankAccount.bankName': conditional(text(255)),
    'bankAccount.number': conditional(textOf(lettersAndDigits, 64, 3), { sensitivity: 'account' }),
    'bankAccount.iban': conditional(
      shape(
        /^[A-Za-z]{2}\d{2}[A-Za-z0-9]{11,27}$/,
        '2 letters, 2 digits, then 11-27 letters or digits',
        'DE23100000001234567890',
      ),
      { sensitivity: 'account' },
    ),
    'bankAccount.bankCode': conditional(textOf(lettersAndDigits, 12)),
    'bankAccount.bic': conditional(
      shape(/^(?:[A-Za-z0-9]{8}|[A-Za-z0-9]{11})$/, '8 or 11 letters or digits', 'MARKDEF1100'),
    ),
    'bankAccount.country': conditional(country('alpha-2')),
    'bankAccount.mandate.id': conditional(textOf(lettersAndHyphens, 256, 0), {
      note: 'the document shows `{base_url}` for its name',
    }),
    'bankAccount.mandate.dateOfSignature': conditional(date),
    transactionDueDate: conditional(date, { kinds: [...purchaseKinds, 'registration', 'migration'] }),
  },
);
