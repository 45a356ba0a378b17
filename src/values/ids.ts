/**
 * Ids of stored rows. Each kind has a separate type, so that a run id in the place of a file id does not
 * compile. They cost nothing while the program runs: a `RunId` is a number.
 *
 * The rows of the database come with these types; only text that people or other programs write (an option, a cursor)
 * and newly assigned ids pass through the functions below.
 */
declare const kindOfId: unique symbol;

type Id<Value, Kind extends string> = Value & { readonly [kindOfId]: Kind };

/** The number of a run, as in `recon runs`: ascending, from 1. */
export type RunId = Id<number, 'run'>;

/** A settlement file, as in `recon files`. */
export type FileId = Id<number, 'file'>;

/** The key of a stored payment's row; people refer to a payment by its `id`. */
export type PaymentKey = Id<bigint, 'payment'>;

/** A discrepancy: derived from its code and subject, so it is the same in every run. */
export type DiscrepancyId = Id<string, 'discrepancy'>;

/** The number must be the id of a run, or a new one for a run. */
export const runId = (value: number): RunId => value as RunId;

/** The number must be the id of a file, or a new one for a file. */
export const fileId = (value: number): FileId => value as FileId;

/** Marks a number as the key of a payment. Nothing is checked: the caller read it from that column. */
export const paymentKey = (value: bigint): PaymentKey => value as PaymentKey;
