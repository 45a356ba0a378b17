/** What an alert is about (design 11): the words that are stored, and by which a receiver can tell alerts apart. */
export const alertKinds = [
  'run-failed',
  'run-missing',
  'file-missing',
  'source-down',
  'delivery-failed',
  'new-items',
  'new-at-risk',
  'open-at-risk',
] as const;
/** See {@link alertKinds}. */
export type AlertKind = (typeof alertKinds)[number];

/** Something that is wrong at present. */
export interface Condition {
  /** The kind, and what it is about: `source-down:acquirer`. */
  readonly key: string;
  readonly kind: AlertKind;
  /** Sentences for people, without secrets and card data. */
  readonly message: string;
}

/** A condition that begins or ends. */
export interface Alert extends Condition {
  readonly state: 'raised' | 'recovered' | 'test';
  /** ISO moment at which the condition began. */
  readonly since: string;
  /** ISO moment of the change. */
  readonly at: string;
  readonly runId: number | null;
  /** The page of the run's report; null for none. */
  readonly page: string | null;
}

/** An alert on its way to one channel. */
export interface Message {
  /** Stays the same when it is sent again, so that a receiver recognises a repetition. */
  readonly id: string;
  readonly alert: Alert;
}
