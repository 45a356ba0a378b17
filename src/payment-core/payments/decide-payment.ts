import { accepted, rejected, type Checked } from '../core/check-request.js';
import type { CoreContext } from '../core/core-context.js';
import {
  findConnector,
  internalSimulator,
  type Connector,
  type ConnectorAnswer,
  type ConnectorRequest,
} from '../connectors/connector.js';
import { readAnswer } from '../connectors/read-answer.js';
import { simulatePayment } from '../connectors/simulate-payment.js';
import { paymentEvent } from '../events/notify.js';
import { detectBrand } from '../instruments/detect-brand.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { refuse } from '../responses/stamp-response.js';
import type { PaymentContent } from '../stored-payments/payment-content.js';
import { respondWithPayment } from '../stored-payments/respond-with-payment.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { writeAmount } from '../values/amounts.js';
import { dayOf } from '../values/moments.js';
import { newId } from '../values/identifiers.js';
import { describePayment } from './describe-payment.js';
import type { PaymentIntent } from './payment-intent.js';
import type { PaymentWrites } from './payment-rows.js';
import { registrationOf, withRegistration } from './registration-of-payment.js';
import { whyNoConnector } from './why-no-connector.js';

/** A stored payment; `ask` is set when its connector must still be called. */
export interface BegunPayment {
  readonly payment: PaymentContent;
  /** The answer, unless the connector must still be called. */
  readonly response: PaymentResponse;
  readonly ask: { readonly connector: Connector; readonly request: ConnectorRequest } | null;
}

/** What a payment writes, and how it goes on once it is stored. */
export interface DecidedPayment {
  readonly writes: PaymentWrites;
  readonly begun: BegunPayment;
}

const waitsForConnector = '000.200.000';

/** Decides everything about a new payment before it is stored, without I/O. */
export function decidePayment(context: CoreContext, intent: PaymentIntent): Checked<DecidedPayment> {
  const connector = connectorOf(context, intent);
  if (connector === undefined) return rejected(refuse(context, '600.200.201', [whyNoConnector(intent)]));
  const id = newId(context.random);
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
            connectorTxIds: referenced.connectorTxIds.filter((id) => id !== null),
          },
    initialTransactionId: isFollowUp
      ? (parameters['standingInstruction.initialTransactionId'] ?? registration?.initialTransactionId ?? null)
      : null,
  };
}
