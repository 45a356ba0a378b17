import { conditional, declareFields, each, optional, required } from '../field.js';
import { oneOf, text, zonedTimestamp } from '../field-type.js';

/** Recurring migration (catalogue 2.19, deprecated). */
export const recurringMigrationFields = declareFields(
  {
    section: 'catalogue 2.19',
    prefix: 'recurringMigration.',
    kinds: ['migration', 'registration'],
  },
  {
    paymentType: required(oneOf('DB', 'CD', 'PA'), { requiredIn: ['migration'] }),
    amount: optional({ kind: 'amount', integerDigits: 8, decimals: 'optional' }),
    requestTimestamp: conditional(zonedTimestamp),
    ...each(['connectorTxId1', 'connectorTxId2', 'connectorTxId3'], conditional(text(128))),
  },
);
