import type { Writable } from 'node:stream';
import { inOwnTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import type { Progress } from '../progress.js';
import { exportPayments } from '../payment-file/export-payments.js';
import { importPayments, type ImportOptions } from '../payment-file/import-payments.js';
import { bookChargebacks } from './chargebacks/book-chargebacks.js';
import type { ChargebackBooking } from './chargebacks/booking-rows.js';
import type { CoreContext } from './core/core-context.js';
import type { Guard } from './core/guarded.js';
import { flag, checkedOptions, type OptionKinds } from './core/option-names.js';
import { receiveId } from './core/receive.js';
import type { PaymentCore } from './payment-core.js';
import { findPayment } from './stored-payments/find-payment.js';
import { receiveParameters } from './validation/receive-parameters.js';

const importOptions: OptionKinds<ImportOptions> = {
  progress: {
    says: 'an object with a function begin',
    holds: (given) => typeof (Object(given) as Partial<Progress>).begin === 'function',
  },
  author: { says: 'a text', holds: isText },
  allowChanges: flag,
  dryRun: flag,
};

/** The operations on all stored payments, however they were stored. */
export function storedPaymentOperations(
  { sql }: CoreContext,
  { during }: Guard,
): PaymentCore['storedPayments'] {
  return {
    import: (file, options) => {
      const given = receiveParameters(options ?? {});
      return during('storedPayments.import', async () => {
        refuseUnless(isText(file), 'storedPayments.import: file must be a text');
        return importPayments(sql, file, checkedOptions('storedPayments.import', given, importOptions));
      });
    },
    export: (out) =>
      during('storedPayments.export', async () => {
        refuseUnless(isStream(out), 'storedPayments.export: out must be a stream that can be written');
        return exportPayments(sql, out);
      }),
    find: (id) => during('storedPayments.find', () => findPayment(sql, receiveId(id))),
    bookChargebacks: (bookings) =>
      during('storedPayments.bookChargebacks', async () => {
        refuseUnless(
          isList(bookings) && bookings.every(isBooking),
          'storedPayments.bookChargebacks: bookings must be a list of chargebacks and reversals (ChargebackBooking)',
        );
        return inOwnTransaction(sql, (tx) => bookChargebacks(tx, bookings));
      }),
  };
}

/** For arguments of programs that no compiler checks; the message holds no value. */
function refuseUnless(isRight: boolean, sentence: string): void {
  if (!isRight) throw new ReconError('USAGE_INVALID', `${sentence}. Nothing was done.`);
}

function isText(given: unknown): boolean {
  return typeof given === 'string' && given !== '';
}

/** The response of an HTTP server is not an instance of `Writable`. */
const isStream = (given: Partial<Writable> | null | undefined) =>
  typeof given?.write === 'function' && typeof given.once === 'function';

const isList = (given: unknown) => Array.isArray(given);

const textsOfBooking = ['id', 'referencedPaymentId', 'currency', 'bookedAt'] as const;

function isBooking(given: Partial<ChargebackBooking> | null | undefined): boolean {
  if (typeof given !== 'object' || given === null) return false;
  return (
    (given.paymentType === 'CB' || given.paymentType === 'CR') &&
    typeof given.amountMinor === 'bigint' &&
    (given.reasonCode === null || typeof given.reasonCode === 'string') &&
    textsOfBooking.every((name) => isText(given[name]))
  );
}
