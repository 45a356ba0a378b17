import type { Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import { writeAmount } from '../values/amounts.js';
import { dayOf } from '../values/moments.js';
import { PermissionRefused, type CallerPermission, refusedPermission } from '../core/caller-permission.js';
import { inTransaction } from '../core/transactions.js';
import { accepted, rejected, type Checked } from '../core/check-request.js';
import { askConnector } from '../connectors/ask-connector.js';
import {
  findConnector,
  internalSimulator,
  type Connector,
  type ConnectorAnswer,
  type ConnectorRequest,
} from '../connectors/connector.js';
import { readAnswer } from '../connectors/read-answer.js';
import { simulatePayment } from '../connectors/simulate-payment.js';
import { inKeyedTransaction, inOneTransaction, useKey } from '../idempotency/keyed-operation.js';
import { notifyOfPayment, paymentEvent } from '../events/notify.js';
import { respondWithPayment } from '../stored-payments/respond-with-payment.js';
import { cutterOf } from '../secrets/own-numbers.js';
import { codeRemoverOf } from '../secrets/security-codes.js';
import { refuse } from '../responses/stamp-response.js';
import type { PaymentResponse } from '../responses/response-types.js';
import type { ParameterError } from '../validation/parameter-error.js';
import {
  registrationOf,
  storeRegistrationOfPayment,
  storeSchemeReference,
  withRegistration,
} from './registration-of-payment.js';
import { detectBrand } from '../instruments/detect-brand.js';
import { readInstrument } from '../instruments/read-instrument.js';
import { maskAnswer } from './mask-answer.js';
import type { PaymentIntent } from './payment-intent.js';
import { giveOutcome } from './give-outcome.js';
import { describePayment, newPaymentId } from './describe-payment.js';
import type { PaymentWrites } from './payment-rows.js';
import { storePayment, storeTogether } from './store-payment.js';
import type { PaymentContent } from '../stored-payments/payment-content.js';
import { findStoredPayment } from '../stored-payments/find-stored-payment.js';

/** Takes locks and decides under them whether the payment may be made. */
export type Prepare = (tx: Tx) => Promise<Checked<PaymentIntent>>;

/**
 * Makes a payment. The simulator answers at once, so everything happens in one transaction. An acquirer is called
 * outside any transaction: the payment is first stored as pending, which reserves its amount, and gets its outcome
 * afterwards. A process that is killed in between leaves a visible pending payment, never an unknown one.
 */
export async function processPayment(context: CoreContext, prepare: Prepare): Promise<PaymentResponse> {
  const first = await inKeyedTransaction(context, (tx) => beginPayment(context, tx, prepare));
  return first.ok ? finishPayment(context, first.value) : first.response;
}

/**
 * Makes a payment about which nothing has to be read or locked. One statement stores it: it is its own transaction, and
 * is sent again when its answer was lost (`writeOnce`). The statement also checks the permission of the caller.
 */
export async function processStandalone(
  context: CoreContext,
  intent: PaymentIntent,
  permission: CallerPermission | undefined,
): Promise<PaymentResponse> {
  const decided = decidePayment(context, intent);
  if (!decided.ok) return decided.response;
  const { writes, begun } = decided.value;
  try {
    await storeStandalone(context, writes, permission);
  } catch (thrown) {
    if (thrown instanceof PermissionRefused) return refuse(context, refusedPermission);
    throw thrown;
  }
  return finishPayment(context, begun);
}

/** @throws PermissionRefused */
async function storeStandalone(
  context: CoreContext,
  writes: PaymentWrites,
  permission?: CallerPermission,
): Promise<void> {
  const isShared = writes.registration === null && context.claim === undefined;
  if (!isShared && (await permission?.confirm()) === false) throw new PermissionRefused();
  const unchecked =
    permission === undefined || permission.isValid === true ? writes : { ...writes, permission };
  let wasSent = false;
  const store = () => {
    const again = wasSent;
    wasSent = true;
    return storeWithOthers(context, again ? { ...unchecked, mayBeStored: true } : unchecked);
  };
  await inOneTransaction(
    context,
    'payment',
    writes.payment.id,
    (sql) => storePayment(sql, writes),
    // A payment that makes a registration is stored by a separate statement.
    isShared ? store : undefined,
  );
}

/** @throws PermissionRefused */
async function storeWithOthers(context: CoreContext, writes: PaymentWrites): Promise<void> {
  const isPermitted = await context.together(storeTogether, writes);
  writes.permission?.note(isPermitted);
  if (!isPermitted) throw new PermissionRefused();
}

/** A stored payment; `ask` is set when its connector must still be called. */
export interface BegunPayment {
  readonly payment: PaymentContent;
  /** The answer, unless the connector must still be called. */
  readonly response: PaymentResponse;
  readonly ask: { readonly connector: Connector; readonly request: ConnectorRequest } | null;
}

/** The first part of a payment, in the transaction that decides whether it may be made. */
export async function beginPayment(
  context: CoreContext,
  tx: Tx,
  prepare: Prepare,
): Promise<Checked<BegunPayment>> {
  const prepared = await prepare(tx);
  if (!prepared.ok) return prepared;
  const decided = decidePayment(context, prepared.value);
  if (!decided.ok) return decided;
  const { writes, begun } = decided.value;
  // Sent together, in this order.
  await Promise.all([
    storePayment(tx, writes),
    storeSchemeReference(tx, begun.payment),
    useKey(context, tx, 'payment', begun.payment.id),
  ]);
  return accepted(begun);
}

/** What a payment writes, and how it goes on once it is stored. */
interface DecidedPayment {
  readonly writes: PaymentWrites;
  readonly begun: BegunPayment;
}

const waitsForConnector = '000.200.000';

/** Decides everything about a new payment before it is stored, without I/O. */
function decidePayment(context: CoreContext, intent: PaymentIntent): Checked<DecidedPayment> {
  const connector = connectorOf(context, intent);
  if (connector === undefined) return rejected(refuse(context, '600.200.201'));
  const id = newPaymentId(context);
  const request = connectorRequest(context, intent, id);
  const isSimulated = connector === internalSimulator;
  const answer: ConnectorAnswer = isSimulated
    ? readAnswer(simulatePayment(request, context.simulatorPage())).answer
    : { resultCode: waitsForConnector };
  const needsShopper = isSimulated
    ? answer.redirect !== undefined
    : connector.needsShopper?.(request) === true;
  if (needsShopper && request.parameters['shopperResultUrl'] === undefined) {
    return rejected(refuse(context, '200.300.404', [returnUrlMissing]));
  }
  const name = isSimulated ? internalSimulator : connector.name;
  const described = describePayment(context, { id, connector: name, intent, answer });
  const registration = registrationOf(context, described.payment, described.accounts);
  const payment = withRegistration(described.payment, registration);
  const response = respondWithPayment(context, payment);
  const events = [
    ...(registration === null ? [] : [registration.event]),
    paymentEvent(context, 'CREATED', payment, response),
  ];
  return accepted({
    writes: { environment: context.environment, payment, account: described.account, registration, events },
    begun: { payment, response, ask: isSimulated ? null : { connector, request } },
  });
}

/** Operations 2.4: a redirected shopper must be able to return. */
const returnUrlMissing: ParameterError = {
  name: 'shopperResultUrl',
  value: null,
  message: 'shopperResultUrl is required, since this payment needs a step by the shopper',
};

/** Calls the connector if that is still needed, and returns the response. */
export async function finishPayment(
  context: CoreContext,
  { payment, response, ask }: BegunPayment,
): Promise<PaymentResponse> {
  if (ask === null) return response;
  const { connector, request } = ask;
  const answered = await askConnector(connector, request, context.connectorTimeoutMs, context.logger);
  const { parameters } = request;
  const answer = maskAnswer(answered, cutterOf(parameters), codeRemoverOf(parameters));
  const updated = await inTransaction(context.sql, async (tx) => {
    const changed = await giveOutcome(context, tx, payment.id, answer);
    // Another completion was faster, such as the acquirer's notification.
    if (changed === undefined) return findStoredPayment(context, tx, payment.id, {});
    const registered = await storeRegistrationOfPayment(context, tx, changed);
    await notifyOfPayment(context, tx, 'UPDATED', registered);
    return registered;
  });
  return updated === undefined ? response : respondWithPayment(context, updated);
}

/** INTERNAL in test unless EXTERNAL is requested (operations 1); a follow-up uses the connector of its payment. */
function connectorOf(
  context: CoreContext,
  { parameters, referenced }: PaymentIntent,
): Connector | typeof internalSimulator | undefined {
  const before = referenced?.details?.connector;
  if (before === internalSimulator) return internalSimulator;
  if (before !== undefined) return findConnector(context.connectors, { name: before });
  if (context.environment === 'test' && parameters['testMode'] !== 'EXTERNAL') return internalSimulator;
  const named = parameters['paymentBrand'] ?? referenced?.paymentBrand;
  const brand = named ?? detectBrand(parameters['card.number']) ?? null;
  return findConnector(context.connectors, { brand });
}

function connectorRequest(
  context: CoreContext,
  { paymentType, amountMinor, currency, parameters, referenced, registration }: PaymentIntent,
  paymentId: string,
): ConnectorRequest {
  const isFollowUp = parameters['standingInstruction.mode'] === 'REPEATED';
  return {
    paymentId,
    paymentType,
    paymentBrand: parameters['paymentBrand'] ?? referenced?.paymentBrand ?? null,
    amount: writeAmount(amountMinor),
    currency,
    environment: context.environment,
    parameters,
    today: dayOf(context.clock()),
    referenced:
      referenced === null
        ? null
        : {
            id: referenced.id,
            paymentType: referenced.paymentType,
            amount: writeAmount(referenced.amountMinor),
            currency: referenced.currency,
            connectorTxIds: referenced.connectorTxIds,
          },
    initialTransactionId: isFollowUp
      ? (parameters['standingInstruction.initialTransactionId'] ?? registration?.initialTransactionId ?? null)
      : null,
  };
}

/** Whether a request has an account number that a registration can store. */
export function canBeRegistered(parameters: PaymentIntent['parameters']): boolean {
  return readInstrument(parameters).field !== null;
}
