import type { ParameterError } from '../validation/parameter-error.js';
import type { EchoedGroup } from './echoed-group.js';

/** Result of a request (operations 2.5). */
export interface Result {
  /** A result code of the catalogue; `dispositionOf` says what it means for the payment. */
  readonly code: string;
  /** The text of the code, or the connector's own. */
  readonly description: string;
  /** Of the address check, where the acquirer made one. */
  readonly avsResponse?: AvsResponse;
  /** Of the security code, where the acquirer checked it. */
  readonly cvvResponse?: CvvResponse;
  /** All violations at once, with code 200.300.404 (design 7). */
  readonly parameterErrors?: readonly ParameterError[];
}

/** A: address matches, zip does not. Z: the other way. N: neither. U: not applicable. F: both match. */
export type AvsResponse = 'A' | 'Z' | 'N' | 'U' | 'F';
/** M: match. N: no match. P: not processed. S: should be on the card but is absent. U: unsupported. */
export type CvvResponse = 'M' | 'N' | 'P' | 'S' | 'U';

/** The fields of every response (operations 2.5 and 7.2). A refused request gets these fields only. */
export interface ErrorResponse {
  /** Of the payment, registration, checkout or job; of a refusal, that of the request. */
  readonly id: string;
  readonly result: Result;
  /** A revision, an at-sign and a moment, for support (operations 2.5). */
  readonly buildNumber: string;
  /** `yyyy-MM-dd HH:mm:ss+0000` */
  readonly timestamp: string;
  /** Identifies the request; the payments of a checkout have the id of the checkout. */
  readonly ndc: string;
  /** With 800.120.100: when the next request may be made. An extension. */
  readonly retryAfterSeconds?: number;
}

/**
 * The response to a refused request of an operation that otherwise returns `Response`. It has none of that type's
 * own fields, so the compiler can also tell them apart by `if (response.card)`.
 */
export type Refusal<Response extends ErrorResponse> = ErrorResponse & {
  readonly [Field in Exclude<keyof Response, keyof ErrorResponse>]?: undefined;
};

/** What a response shows of a card: never the whole number. */
export interface CardResponse {
  /** The first six digits. */
  readonly bin?: string;
  /** The last four digits of the number. */
  readonly last4Digits?: string;
  /** As the request gave it (operations 2.5 lists N6, but it is a name). */
  readonly holder?: string;
  /** Two digits. */
  readonly expiryMonth?: string;
  /** Four digits. */
  readonly expiryYear?: string;
  /** From the connector, as are the following members: such as `CREDIT`. */
  readonly type?: string;
  /** Such as `DEFERRED DEBIT`. */
  readonly level?: string;
  /** `true` or `false`. */
  readonly regulatedFlag?: string;
  /** The bank that issued the card, as far as the connector knows it. */
  readonly issuer?: { readonly bank?: string; readonly phone?: string; readonly website?: string };
}

/** Where the shopper has to go, with the parameters to send. */
export interface Redirect {
  /** An absolute URL. */
  readonly url: string;
  /** The name at index n belongs to the value at index n. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
}

/** Structures of the request that the response echoes, as JSON. */
export type EchoedStructures = {
  readonly [
    Name in
      | 'customer'
      | 'billing'
      | 'shipping'
      | 'merchant'
      | 'cart'
      | 'marketPlace'
      | 'airline'
      | 'corporate'
      | 'sender'
      | 'recipient'
      | 'standingInstruction'
      | 'threeDSecure'
      | 'recurringMigration'
      | 'bankAccount'
  ]?: EchoedGroup<Name>;
} & {
  /** The text of each key of `customParameters[key]`. A dot in a key belongs to the key. */
  readonly customParameters?: Readonly<Record<string, string>>;
};

/** Single parameters of the request that the response echoes. */
export type EchoedValues = Readonly<
  Partial<
    Record<
      | 'taxAmount'
      | 'discountAmount'
      | 'merchantTransactionId'
      | 'merchantInvoiceId'
      | 'merchantMemo'
      | 'transactionCategory'
      | 'sequence'
      | 'numberOfCaptures'
      | 'promotionCode'
      | 'locale'
      | 'transactionLinkId'
      | 'lifecycleId'
      | 'transactionProcessingCode'
      | 'transactionDueDate',
      string
    >
  >
>;

/** The payment response (operations 2.5). A refused request gets the fields of `ErrorResponse`. */
export interface PaymentResponse extends ErrorResponse, EchoedStructures, EchoedValues {
  /** In notifications about a payment that references another (operations 2.5). */
  readonly referencedId?: string;
  /** The id for people, as in column ShortId of settlement files. */
  readonly shortId?: string;
  /** The registration that the payment was made with, or that it made. */
  readonly registrationId?: string;
  /** The registration that it made (`createRegistration=true`). */
  readonly registration?: { readonly id: string };
  /** PA, DB, CD, CP, RV, RF, or CB and CR of a chargeback and its reversal. */
  readonly paymentType?: string;
  /** Of the request or of the payment that it references; where neither has one, as the connector detected it. */
  readonly paymentBrand?: string;
  /** The brand that the connector detected. */
  readonly brandResult?: string;
  /** Two decimals. */
  readonly amount?: string;
  /** A code of ISO 4217. */
  readonly currency?: string;
  /** `forex.amount` of the request, and `presentationCurrency` its currency; only in notifications. */
  readonly presentationAmount?: string;
  /** `forex.currency` of the request; only in notifications. */
  readonly presentationCurrency?: string;
  /** Of the request, up to 127 characters. */
  readonly descriptor?: string;
  /** Details of the connector by name, such as `AcquirerResponse`. */
  readonly resultDetails?: Readonly<Record<string, string>>;
  /** Only of a payment with a card. */
  readonly card?: CardResponse;
  /** The score of risk checks: an optional sign and up to 5 digits. */
  readonly risk?: { readonly score: string };
  /** Of a payment that needs a step of the shopper. */
  readonly redirect?: Redirect;
}

/** Structures of its request that the response to a registration echoes. */
export type EchoedRegistration = Pick<
  EchoedStructures,
  'customer' | 'billing' | 'bankAccount' | 'recurringMigration' | 'customParameters'
>;

/** A registration (operations 2.1) without secrets. */
export interface RegistrationResponse extends ErrorResponse, EchoedRegistration {
  /** Of the request; missing if it named none. */
  readonly paymentBrand?: string;
  /** Only of a registration with a card. */
  readonly card?: CardResponse;
  /** For an instrument other than a card. */
  readonly account?: { readonly last4Digits?: string };
}
