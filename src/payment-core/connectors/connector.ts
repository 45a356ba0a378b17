import type { ParameterValues } from '../fields/parameters.js';
import type { Environment } from '../fields/request-kinds.js';
import type { AvsResponse, CardResponse, CvvResponse, Redirect } from '../responses/response-types.js';

/** A request to a connector. It is never logged or stored, because its parameters contain card data. */
export interface ConnectorRequest {
  /** The gateway's id of the new payment. */
  readonly paymentId: string;
  /** What to do (operations 3.1); CP, RV and RF come with `referenced`. */
  readonly paymentType: 'PA' | 'DB' | 'CD' | 'CP' | 'RV' | 'RF';
  /** Null where the request has none. */
  readonly paymentBrand: string | null;
  /** Two decimals. */
  readonly amount: string;
  /** A code of ISO 4217. */
  readonly currency: string;
  /** `test` only reaches a connector with testMode=EXTERNAL (operations 1). */
  readonly environment: Environment;
  /** Flat names, secrets included. A registration's instrument is filled in. */
  readonly parameters: ParameterValues;
  /** The day in UTC. */
  readonly today: string;
  /** The payment to capture, reverse or refund. */
  readonly referenced: ReferencedPayment | null;
  /** The scheme's reference of the shopper's first payment, for the merchant's later payments of the series. */
  readonly initialTransactionId: string | null;
}

/** The payment that a capture, reversal or refund is about. */
export interface ReferencedPayment {
  /** The gateway's id. */
  readonly id: string;
  /** PA, DB, CD or CP. */
  readonly paymentType: string;
  /** Two decimals. */
  readonly amount: string;
  /** A code of ISO 4217. */
  readonly currency: string;
  /** Those of the connector's answer to it, at most three. */
  readonly connectorTxIds: readonly string[];
}

/** A connector's answer. Only the code is required. */
export interface ConnectorAnswer {
  /** A code of the catalogue; any other is stored as 999.999.999 with the original as AcquirerResponse. */
  readonly resultCode: string;
  /** Replaces the text of the catalogue. */
  readonly description?: string;
  /** The result of the address check (operations 2.5), if one was made. */
  readonly avsResponse?: AvsResponse;
  /** The result of the check of the security code (operations 2.5), if one was made. */
  readonly cvvResponse?: CvvResponse;
  /** Details by name, for the response (operations 2.5). */
  readonly resultDetails?: Readonly<Record<string, string>>;
  /** Optional sign and up to 5 digits. */
  readonly riskScore?: string;
  /** At most three references of the acquirer: ConnectorTxId1 to 3 in settlement files. */
  readonly connectorTxIds?: readonly string[];
  /** Where the shopper has to go; the payment then waits, with a pending code. */
  readonly redirect?: Redirect;
  /** The brand that the acquirer detected. */
  readonly brandResult?: string;
  /** The scheme's reference of a first payment (operations 2.3, standingInstruction.initialTransactionId). */
  readonly initialTransactionId?: string;
  /** What the acquirer knows of the card. */
  readonly card?: Pick<CardResponse, 'type' | 'level' | 'regulatedFlag' | 'issuer'>;
}

/**
 * An acquirer. `process` may be called for many payments at once. If it throws, the outcome is unknown
 * (900.100.100). The same applies if it takes longer than `connectorTimeoutMs` (900.100.300).
 */
export interface Connector {
  /** Stored with each payment. Captures, reversals and refunds use the connector of their payment. */
  readonly name: string;
  /** Sends the request to the acquirer. The result says what became of the payment. */
  process(request: ConnectorRequest): Promise<ConnectorAnswer>;
  /**
   * Whether the payment needs a step by the shopper. Called before anything is stored. Such a request needs
   * shopperResultUrl (operations 2.4): without it the response is 200.300.404 and `process` is not called.
   */
  needsShopper?(request: ConnectorRequest): boolean;
}

/** The connectors for payments in live, and in test with testMode=EXTERNAL. */
export interface Connectors {
  /** By payment brand. */
  readonly byBrand?: Readonly<Record<string, Connector>>;
  /** For all other brands. */
  readonly default?: Connector;
}

/** The name of the simulator. No connector may use it. */
export const internalSimulator = 'INTERNAL';

/** The connector of a name, or of a brand; undefined when none is configured. */
export function findConnector(
  connectors: Connectors,
  by: { readonly name: string } | { readonly brand: string | null },
): Connector | undefined {
  const all = [
    ...Object.values(connectors.byBrand ?? {}),
    ...(connectors.default ? [connectors.default] : []),
  ];
  if ('name' in by) return all.find(({ name }) => name === by.name);
  const special = Object.entries(connectors.byBrand ?? {}).find(([brand]) => brand === by.brand);
  return special?.[1] ?? connectors.default;
}
