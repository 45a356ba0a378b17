/**
 * The public interface of the payment core (design 7), for programs that embed it and for the reconciliation.
 * Everything that is not exported here is internal.
 */
export { createPaymentCore } from './create-payment-core.js';
export type { CoreSettings, PaymentCoreOptions, PaymentStore } from './core-settings.js';
export type { PaymentCore } from './payment-core.js';
export type { CoreLogger } from './connectors/core-logger.js';
export type { Caller } from './core/core-context.js';
export { CallerPermission } from './core/caller-permission.js';
export type { ParameterName, Parameters } from './fields/parameter-names.js';

export { readParameterList } from './validation/read-parameter-list.js';
export { refusedName } from './validation/refused-name.js';
export { validateParameters } from './validation/validate-parameters.js';
export type { ParameterError } from './validation/parameter-error.js';
export type { ValidationOptions } from './validation/parameter-request.js';
export { describeParameters, type ParameterDescription } from './fields/describe-parameters.js';
export { requestKinds, type Environment, type RequestKind } from './fields/request-kinds.js';

export { resultCodes, type ResultCodeEntry } from './results/result-codes.js';
export type { KnownResultClass, ResultClass, ResultDisposition } from './results/result-classes.js';
export { classifyResultCode, dispositionOf, httpStatusOf } from './results/classify-result-code.js';

export type {
  AvsResponse,
  CardResponse,
  CvvResponse,
  EchoedStructures,
  EchoedValues,
  ErrorResponse,
  PaymentResponse,
  Redirect,
  Refusal,
  RegistrationResponse,
  Result,
} from './responses/response-types.js';
export type { EchoedGroup } from './responses/echoed-group.js';
export type { CheckoutResponse } from './checkouts/checkout-response.js';
export type { CheckoutPayment } from './checkouts/pay-checkout.js';
export type { JobResponse, SkippedFires } from './jobs/job-response.js';
export type { JobRun, RunLimits } from './jobs/run-due-jobs.js';
export type { QueryPage, QueryResponse } from './query/query-payments.js';
export type { SettlementAggregate, SettlementSummaryResponse } from './reporting/settlement-summary.js';
export type { DetailsPage, SettlementDetailsResponse } from './reporting/settlement-details.js';
export type { ReconciliationRecord } from './reporting/reconciliation-record.js';

export type {
  Connector,
  ConnectorAnswer,
  ConnectorRequest,
  Connectors,
  ReferencedPayment,
} from './connectors/connector.js';
export type { ShopperStep, StepOutcome } from './simulator/shopper-step.js';
export { amountTriggers } from './connectors/simulator-triggers.js';
export type { Completion } from './payments/complete-payment.js';

export type { PaymentEvent, ReadOptions } from './events/read-events.js';
export type { EventAction } from './events/record-events.js';
export {
  decryptNotification,
  encryptNotification,
  type EncryptedNotification,
} from './events/encrypt-notification.js';

export type { EncryptionKeys } from './secrets/vault.js';
export type { KeysRotated } from './rotate-keys.js';
export { operations, type Limit, type Operation, type Throttling } from './core/throttling.js';

export { amendChargebacks } from './chargebacks/amend-chargebacks.js';
export { bookChargebacks } from './chargebacks/book-chargebacks.js';
export type { ChargebackBooking } from './chargebacks/booking-rows.js';
export {
  findPayment,
  type PaymentFacts,
  /** The former name. */
  type PaymentFacts as StoredPayment,
} from './stored-payments/find-payment.js';

export { exportPayments } from '../payment-file/export-payments.js';
export {
  importPayments,
  type ImportOptions,
  type PaymentsImported,
} from '../payment-file/import-payments.js';
