import type { ParameterError } from '../validation/parameter-error.js';
import type { EchoedGroup } from './echoed-group.js';

/** Result of a request (operations 2.5). */
export interface Result {
  readonly code: string;
  readonly description: string;
  readonly avsResponse?: AvsResponse;
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
  readonly id: string;
  readonly result: Result;
  readonly buildNumber: string;
  /** `yyyy-MM-dd HH:mm:ss+0000` */
  readonly timestamp: string;
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
  readonly bin?: string;
  readonly last4Digits?: string;
  readonly holder?: string;
  readonly expiryMonth?: string;
  readonly expiryYear?: string;
  readonly type?: string;
  readonly level?: string;
  readonly regulatedFlag?: string;
  readonly issuer?: { readonly bank?: string; readonly phone?: string; readonly website?: string };
}

/** Where the shopper has to go, with the parameters to send. */
export interface Redirect {
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
  readonly shortId?: string;
  readonly registrationId?: string;
  readonly registration?: { readonly id: string };
  readonly paymentType?: string;
  readonly paymentBrand?: string;
  readonly brandResult?: string;
  /** Two decimals. */
  readonly amount?: string;
  readonly currency?: string;
  readonly presentationAmount?: string;
  readonly presentationCurrency?: string;
  readonly descriptor?: string;
  readonly resultDetails?: Readonly<Record<string, string>>;
  readonly card?: CardResponse;
  readonly risk?: { readonly score: string };
  readonly redirect?: Redirect;
}

/** Structures of its request that the response to a registration echoes. */
export type EchoedRegistration = Pick<
  EchoedStructures,
  'customer' | 'billing' | 'bankAccount' | 'recurringMigration' | 'customParameters'
>;

/** A registration (operations 2.1) without secrets. */
export interface RegistrationResponse extends ErrorResponse, EchoedRegistration {
  readonly paymentBrand?: string;
  readonly card?: CardResponse;
  /** For an instrument other than a card. */
  readonly account?: { readonly last4Digits?: string };
}
