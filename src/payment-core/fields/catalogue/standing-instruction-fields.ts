import { conditional, declareFields, optional } from '../field.js';
import { digits, distantDate, oneOf, text } from '../field-type.js';
import { shopperKinds } from '../request-kinds.js';

/** Card-on-file fields (operations 2.3). */
export const standingInstructionFields = declareFields(
  { section: 'operations 2.3', prefix: 'standingInstruction.', kinds: shopperKinds },
  {
    type: conditional(oneOf('UNSCHEDULED', 'INSTALLMENT', 'RECURRING')),
    recurringType: conditional(oneOf('STANDING_ORDER', 'SUBSCRIPTION')),
    mode: conditional(oneOf('INITIAL', 'REPEATED')),
    source: conditional(oneOf('CIT', 'MIT')),
    initialTransactionId: conditional(text(255), { note: 'the documents give no length' }),
    industryPractice: conditional(
      oneOf('INCREMENTAL_AUTH', 'RESUBMISSION', 'REAUTHORIZATION', 'DELAYED_CHARGES', 'NO_SHOW'),
    ),
    expiry: conditional(distantDate, { fallback: '9999-12-31 for schemeB' }),
    frequency: conditional(digits(4), { fallback: '0001 for schemeB' }),
    numberOfInstallments: conditional(digits(3)),
    agreementId: optional(text(35)),
  },
);
