import type { Parameters } from '../fields/parameters.js';
import type { Environment } from '../fields/request-kinds.js';
import type { AvsResponse, CardResponse, CvvResponse, Redirect } from '../responses/response-types.js';

/** What a connector is asked to do. It is never logged or stored: parameters hold card data. */
export interface ConnectorRequest {
  /** The gateway's id of the payment that is being made. */
  readonly paymentId: string;
  readonly paymentType: 'PA' | 'DB' | 'CD' | 'CP' | 'RV' | 'RF';
  readonly paymentBrand: string | null;
  /** Two decimals. */
  readonly amount: string;
  readonly currency: string;
  readonly environment: Environment;
  /** Flat names, secrets included; a registration's instrument is filled in. */
  readonly parameters: Parameters;
  /** The day in UTC. */
  readonly today: string;
  /** The payment that is captured, reversed or refunded. */
  readonly referenced: ReferencedPayment | null;
  /** The shopper's first payment of a series, for the merchant's own that follow. */
  readonly initialTransactionId: string | null;
}

export interface ReferencedPayment {
  readonly id: string;
  readonly paymentType: string;
  /** Two decimals. */
  readonly amount: string;
  readonly currency: string;
  readonly connectorTxIds: readonly string[];
}

/** What a connector answers. Only the code is needed. */
export interface ConnectorAnswer {
  /** A code of the catalogue; any other is stored as 999.999.999 with the original as AcquirerResponse. */
  readonly resultCode: string;
  /** Replaces the catalogue's text. */
  readonly description?: string;
  readonly avsResponse?: AvsResponse;
  readonly cvvResponse?: CvvResponse;
  readonly resultDetails?: Readonly<Record<string, string>>;
  /** Optional sign and up to 5 digits. */
  readonly riskScore?: string;
  /** At most three references of the acquirer: what settlement files name as ConnectorTxId1 to 3. */
  readonly connectorTxIds?: readonly string[];
  readonly redirect?: Redirect;
  readonly brandResult?: string;
  /** The scheme's reference of a first payment (operations 2.3, standingInstruction.initialTransactionId). */
  readonly initialTransactionId?: string;
  readonly card?: Pick<CardResponse, 'type' | 'level' | 'regulatedFlag' | 'issuer'>;
}

/**
 * An acquirer. `process` may be called for many payments at once. What it throws means that the outcome is
 * not known (900.100.100), and what takes longer than `connectorTimeoutMs` likewise (900.100.300).
 */
export interface Connector {
  /** Stored with each payment; captures, reversals and refunds go to the connector of their payment. */
  readonly name: string;
  process(request: ConnectorRequest): Promise<ConnectorAnswer>;
  /**
   * Whether the payment needs a shopper step, asked before anything is stored. Such a request needs
   * shopperResultUrl (operations 2.4): without it the answer is 200.300.404 and `process` is not called.
   */
  needsShopper?(request: ConnectorRequest): boolean;
}

/** Where payments go in live, and in test with testMode=EXTERNAL. */
export interface Connectors {
  /** By payment brand; the first to be asked. */
  readonly byBrand?: Readonly<Record<string, Connector>>;
  /** For every other brand. */
  readonly default?: Connector;
}

/** The name of the simulator, which no connector may take. */
export const internalSimulator = 'INTERNAL';

/** The connector of a name, or of a brand; undefined when none is set up. */
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
