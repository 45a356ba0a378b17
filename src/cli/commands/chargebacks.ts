import { exitCodes, ReconError } from '../../errors.js';
import {
  chargebackList,
  chargebackStatuses,
  type ListedChargeback,
} from '../../listings/list-chargebacks.js';
import type { ErrorResponse, PaymentCore, PaymentResponse } from '../../payment-core/index.js';
import { authorOption, choiceOption, textOption, usageError, type Options } from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { printList } from '../list-table.js';
import { openPaymentCore } from '../open-payment-core.js';
import { printable } from '../text/printable.js';

/** The chargebacks, the latest first. */
export const list: RunCommand = async (context, _args, options) => {
  await printList(context, options, {
    source: chargebackList({
      paymentId: textOption(options, 'payment'),
      status: choiceOption(options, 'status', chargebackStatuses),
    }),
    head: ['chargeback', 'status', 'amount', 'reversed', 'booked'],
    cells: (chargeback) => [
      chargeback.id,
      chargeback.status,
      `${chargeback.amount} ${chargeback.currency}`,
      `${chargeback.reversedAmount} ${chargeback.reversedCurrency ?? chargeback.currency}`,
      chargeback.bookedAt.slice(0, 10),
    ],
    sentence,
    none: 'There are no chargebacks.',
    filter: { options: ['payment', 'status'], entry: 'chargeback' },
  });
  return exitCodes.done;
};

function sentence({ paymentId, reasonCode, bookedBy, reversedAt, reversedBy }: ListedChargeback): string {
  const who = (name: string | null) => (name === null ? 'a settlement file' : printable(name));
  const reversal =
    reversedAt === null ? '' : `, reversed by ${who(reversedBy)} on ${reversedAt.slice(0, 10)}`;
  return `of payment ${paymentId}, reason ${reasonCode}, booked by ${who(bookedBy)}${reversal}`;
}

/** Books a chargeback of a payment. It is refused while another one of the payment is open. */
export const book: RunCommand = async (context, [paymentId = ''], options) => {
  const core = await openPaymentCore(context, { onlyChargebacks: true });
  const code = textOption(options, 'reasonCode');
  const reason = code === null ? {} : { chargebackResultCode: code };
  const author = authorOption(options, context.environment);
  const amount = await amountOption(core, paymentId, options);
  const response = await core.chargebacks.book(paymentId, { ...amount, ...reason }, { author });
  return report(context, `Payment ${paymentId} is not charged back`, response, {
    references: 'paymentId',
    id: paymentId,
    author,
  });
};

/** Reverses a chargeback of the back office or of a settlement file. */
export const reverse: RunCommand = async (context, [chargebackId = ''], options) => {
  const core = await openPaymentCore(context, { onlyChargebacks: true });
  const author = authorOption(options, context.environment);
  const amount = await amountOption(core, chargebackId, options);
  const response = await core.chargebacks.reverse(chargebackId, amount, { author });
  return report(context, `Chargeback ${chargebackId} is not reversed`, response, {
    references: 'chargebackId',
    id: chargebackId,
    author,
  });
};

/** `--amount` is in the currency of the payment; without it the core takes what is left. */
async function amountOption(
  core: PaymentCore,
  id: string,
  options: Options,
): Promise<{ readonly amount?: string; readonly currency?: string }> {
  const amount = textOption(options, 'amount');
  if (amount === null) return {};
  const payment = await core.storedPayments.find(id);
  // An unknown payment is refused by the operation.
  return { amount, currency: payment?.currency ?? 'EUR' };
}

interface Booked {
  readonly references: 'paymentId' | 'chargebackId';
  readonly id: string;
  readonly author: string;
}

function report(
  context: CommandContext,
  refusal: string,
  response: PaymentResponse,
  { references, id, author }: Booked,
): number {
  if (response.paymentType === undefined) throw refused(refusal, response);
  const { id: booked, paymentType, amount, currency, result } = response;
  const document = {
    id: booked,
    paymentType,
    [references]: id,
    amount,
    currency,
    resultCode: result.code,
    bookedBy: author,
  };
  const what = paymentType === 'CB' ? 'Chargeback' : 'Reversal';
  context.logger().info({ id: booked, paymentType, [references]: id, author }, `${what} booked.`);
  context.print(document, () => `${what} ${booked} of ${amount ?? ''} ${currency ?? ''} is booked.`);
  return exitCodes.done;
}

/** The options by the names of their parameters. */
const optionOf: Readonly<Record<string, string>> = {
  amount: '--amount',
  chargebackResultCode: '--reason-code',
};

function refused(what: string, { result }: ErrorResponse): ReconError {
  const { code, description, parameterErrors = [] } = result;
  if (parameterErrors.length > 0) {
    const problems = parameterErrors.map(
      ({ name, message }) => `${optionOf[name] ?? name}: ${printable(message)}`,
    );
    return usageError(`${problems.join('; ')}.`);
  }
  return new ReconError('CHARGEBACK_REFUSED', printable(`${what}: ${code} ${description}.`));
}
