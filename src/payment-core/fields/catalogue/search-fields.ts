import { declareFields, each, optional, required } from '../field.js';
import { date, listOf, number, oneOf, text, timestamp, trueOrFalse } from '../field-type.js';

/** Reporting parameters (catalogue 2.25). */
export const reportingFields = declareFields(
  { section: 'catalogue 2.25', prefix: '', kinds: ['reporting'] },
  {
    ...each(['date.from', 'date.to'], required(date, { requiredIn: ['reporting'] })),
    sortValue: optional(oneOf('SettlementTxDate')),
    sortOrder: optional(oneOf('ASC', 'DESC', 'asc', 'desc')),
  },
);

const paymentTypeCodes = [
  ...['CB', 'PA', 'CD', 'CR', 'DB', 'CP', 'IV', 'RB', 'RC', 'RF', 'RL', 'RV', 'AD', 'IN', 'FI', 'CL', 'CF'],
  ...['DR', 'RG', 'RR', 'TE', 'CT', 'DS', 'RS', 'SD', 'AC', 'MD', 'EA', 'RI', '3D', 'SA', 'EN', 'ID', 'IC'],
  ...['DP', 'CG', 'TG', 'SF', 'IS', 'VD', 'DV', 'AF', 'GK', 'RD', 'TM', 'FT', 'KT', 'AR', 'AL', 'PL', 'FN'],
  ...['FZ', 'RE', 'RX', 'FO', 'CS', 'EX', 'SE', 'AU', 'TK', 'TF', 'ER'],
];
const paymentMethodCodes = [
  ...['DD', 'CT', 'CC', 'WA', 'VA', 'UA', 'OT', 'DC', 'ET', 'NT', 'IV', 'PP', 'OD', 'RM'],
];

/** Query parameters (catalogue 2.26). */
export const queryFields = declareFields(
  { section: 'catalogue 2.26', prefix: '', kinds: ['query'] },
  {
    merchantTransactionId: optional(text(255)),
    limit: optional(number(100, 500), { fallback: '100' }),
    ...each(['date.from', 'date.to'], optional(timestamp)),
    paymentTypes: optional(listOf(paymentTypeCodes)),
    paymentMethods: optional(listOf(paymentMethodCodes)),
    includeLinkedTransactions: optional(trueOrFalse),
    shortId: optional(text(14)),
  },
);
