/** The operations that can be limited, each separately. */
export const operations = [
  'payments.create',
  'payments.get',
  'payments.reference',
  'payments.complete',
  'registrations.create',
  'registrations.get',
  'registrations.delete',
  'registrations.pay',
  'checkouts.create',
  'checkouts.get',
  'checkouts.update',
  'checkouts.pay',
  'chargebacks.book',
  'chargebacks.reverse',
  'migrations.create',
  'query',
  'reporting.summary',
  'reporting.details',
  'jobs.create',
  'jobs.get',
  'jobs.update',
  'jobs.delete',
] as const;

/** An operation that can be limited. */
export type Operation = (typeof operations)[number];

/** At most this many requests in each window. */
export interface Limit {
  /** 0 refuses all. The next one in a window is answered with 800.120.100 (operations 7.2). */
  readonly requests: number;
  /** The length of a window. */
  readonly windowSeconds: number;
}

/** Limits by operation; an operation without a limit is not throttled. */
export type Throttling = Readonly<Partial<Record<Operation, Limit>>>;
