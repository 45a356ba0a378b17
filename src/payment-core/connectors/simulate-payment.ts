import { hash } from 'node:crypto';
import { dispositionOf } from '../results/classify-result-code.js';
import { detectBrand } from '../instruments/detect-brand.js';
import type { ConnectorAnswer, ConnectorRequest } from './connector.js';
import { amountTriggers, readTrigger, type Trigger } from './simulator-triggers.js';

const approved = '000.100.110';

/**
 * The INTERNAL simulator (operations 1): a pure function of the request. It approves the payment unless a trigger
 * sets another result: `customParameters[SIMULATOR]`, then the holder, then the amount (docs/payment-core.md). An
 * expired card is declined.
 *
 * @param shopperPage where a shopper is sent who must take a step
 */
export function simulatePayment(request: ConnectorRequest, shopperPage: string): ConnectorAnswer {
  const { parameters } = request;
  const trigger =
    readTrigger(parameters['customParameters[SIMULATOR]']) ??
    readTrigger(parameters['card.holder']) ??
    readTrigger(parameters['bankAccount.holder']) ??
    byAmount(request);
  const resultCode = trigger.resultCode ?? (trigger.redirect ? '000.200.000' : withoutTrigger(request));
  const disposition = dispositionOf(resultCode);
  const avsResponse = trigger.avsResponse ?? addressCheck(request);
  const cvvResponse = trigger.cvvResponse ?? securityCodeCheck(request);
  const riskScore = trigger.riskScore ?? (asksForRisk(request) ? '0' : undefined);
  const brandResult = request.paymentBrand === null ? detectBrand(parameters['card.number']) : undefined;
  // Members are added to one object, because every payment in test passes here, and a spread for each takes longer.
  const answer: { -readonly [Name in keyof ConnectorAnswer]: ConnectorAnswer[Name] } = { resultCode };
  if (avsResponse !== undefined) answer.avsResponse = avsResponse;
  if (cvvResponse !== undefined) answer.cvvResponse = cvvResponse;
  if (riskScore !== undefined) answer.riskScore = riskScore;
  if (brandResult !== undefined) answer.brandResult = brandResult;
  const { acquirerResponse, adviceCode } = trigger;
  if (acquirerResponse !== undefined || adviceCode !== undefined) {
    answer.resultDetails = {
      ...(acquirerResponse === undefined ? {} : { AcquirerResponse: acquirerResponse }),
      ...(adviceCode === undefined ? {} : { MerchantAdviceCode: adviceCode }),
    };
  }
  if (disposition === 'success' || disposition === 'pending') {
    answer.connectorTxIds = [`SIM${digest(request.paymentId).slice(0, 17)}`];
  }
  if (startsSeries(request) && disposition === 'success') {
    answer.initialTransactionId = numeric(request.paymentId);
  }
  if (redirectsShopper(request, trigger, disposition)) answer.redirect = shopperStep(request, shopperPage);
  return answer;
}

/** Whether the shopper is redirected: when the trigger says so, or when the payment is pending and has a return URL. */
function redirectsShopper(request: ConnectorRequest, trigger: Trigger, disposition: string): boolean {
  if (isReference(request)) return false;
  const returns = request.parameters['shopperResultUrl'] !== undefined;
  return trigger.redirect || (disposition === 'pending' && returns);
}

const withoutAnyTrigger: Trigger = { redirect: false };

function byAmount(request: ConnectorRequest): Trigger {
  const resultCode = amountTriggers.get(request.amount);
  return resultCode === undefined ? withoutAnyTrigger : { resultCode, redirect: false };
}

function withoutTrigger({ parameters, today }: ConnectorRequest): string {
  const month = parameters['card.expiryMonth'] ?? parameters['tokenAccount.expiryMonth'];
  const year = parameters['card.expiryYear'] ?? parameters['tokenAccount.expiryYear'];
  const expired = month !== undefined && year !== undefined && `${year}-${month}` < today.slice(0, 7);
  return expired ? '100.100.303' : approved;
}

const isReference = ({ referenced }: ConnectorRequest) => referenced !== null;

function addressCheck(request: ConnectorRequest): 'F' | undefined {
  const { parameters } = request;
  return parameters['billing.street1'] !== undefined && parameters['billing.postcode'] !== undefined
    ? 'F'
    : undefined;
}

function securityCodeCheck(request: ConnectorRequest): 'M' | 'P' | undefined {
  const { parameters } = request;
  if (parameters['card.cvv'] !== undefined) return 'M';
  return parameters['card.number'] !== undefined && !isReference(request) ? 'P' : undefined;
}

function asksForRisk({ parameters }: ConnectorRequest): boolean {
  return Object.keys(parameters).some((name) => name.startsWith('risk.'));
}

function startsSeries({ parameters }: ConnectorRequest): boolean {
  return parameters['standingInstruction.mode'] === 'INITIAL' || parameters['createRegistration'] === 'true';
}

function shopperStep({ paymentId }: ConnectorRequest, url: string) {
  return {
    url,
    parameters: [
      { name: 'paymentId', value: paymentId },
      { name: 'token', value: shopperStepToken(paymentId) },
    ],
  };
}

/** What the shopper's page has to show, so that nobody reaches it with the id of a payment alone. */
export function shopperStepToken(paymentId: string): string {
  return digest(`redirect ${paymentId}`).slice(0, 32);
}

function digest(text: string): string {
  return hash('sha256', text, 'hex').toUpperCase();
}

function numeric(text: string): string {
  return (BigInt(`0x${digest(`series ${text}`).slice(0, 16)}`) % 1_000_000_000_000_000n)
    .toString()
    .padStart(15, '0');
}
