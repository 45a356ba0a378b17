import { conditional, declareFields, optional } from '../field.js';
import { oneOf, text } from '../field-type.js';
import { instrumentKinds } from '../request-kinds.js';

/** The three device wallets, by their neutral names. */
export const wallets = ['walletA', 'walletB', 'walletC'] as const;

/** The wallet provider defines the formats. The bounds limit the size of a request. */
const paymentToken = conditional(text(65536), {
  sensitivity: 'authentication',
  note: 'required in alternative (a); the wallet provider defines its format',
});
const source = conditional(oneOf('web', 'app'), { note: 'required in alternative (b)' });

/** Device wallets (catalogue 2.2). */
export const walletFields = declareFields(
  { section: 'catalogue 2.2', prefix: '', kinds: instrumentKinds },
  {
    'walletA.paymentToken': paymentToken,
    'walletA.cardNetwork': optional(text(255), { note: 'a value of the wallet provider' }),
    'walletA.cardType': optional(text(255), { note: 'a value of the wallet provider' }),
    'walletA.source': source,
    'walletB.paymentToken': paymentToken,
    'walletB.source': source,
    'walletC.paymentToken': paymentToken,
    'walletC.source': source,
  },
);
