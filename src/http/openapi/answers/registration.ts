import type { RegistrationResponse } from '../../../payment-core/index.js';
import { component, object, sometimes, text } from '../described.js';
import type { Answers } from './answers.js';
import { echoedStructures } from './echoed.js';
import { idOf, ofEveryAnswer } from './error.js';
import { card } from './payment.js';

const { customer, billing, bankAccount, recurringMigration, customParameters } = echoedStructures;

/** A registration, without what only refused requests have. */
export type Registration = Omit<RegistrationResponse, 'retryAfterSeconds'>;

/** A registration (operations 2.1), also as the answer to a checkout whose payment made one. */
export const registration = component(
  'Registration',
  object<Registration>('A stored payment instrument.', {
    id: idOf('The id of the registration: registrationId in a request that pays with it.'),
    paymentBrand: sometimes(text('The brand of the card or account.', { examples: ['VISA'] })),
    card: sometimes(card),
    account: sometimes(
      object<NonNullable<RegistrationResponse['account']>>('An instrument that is not a card.', {
        last4Digits: sometimes(text('The last four characters of its number.', { maxLength: 4 })),
      }),
    ),
    customer: sometimes(customer),
    billing: sometimes(billing),
    bankAccount: sometimes(bankAccount),
    recurringMigration: sometimes(recurringMigration),
    customParameters: sometimes(customParameters),
    ...ofEveryAnswer,
  }),
);

/** Of requests that store, read or delete a registration; the answer to a deletion shows it as it was. */
export const registrationAnswers: Answers = { 200: registration };
