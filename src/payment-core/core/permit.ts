import type postgres from 'postgres';
import type { Sql, Tx } from '../../db/client.js';

/** Who keeps the rights of callers, and how to ask. */
export interface PermitLookup {
  /** A query with one column: those of these keys that are valid now. */
  readonly validKeys: (sql: Sql | Tx, keys: readonly string[]) => postgres.PendingQuery<postgres.Row[]>;
  /** The text of a query that has one row if the key in this place of a parameter is valid now, and none otherwise. */
  readonly validKey: (given: string) => string;
  /** Looks one up by a separate statement. */
  readonly isValid: () => Promise<boolean>;
}

/**
 * The right of a caller to make one request, which was valid a moment ago. Looking it up again before the request is
 * carried out costs a round trip, so the statement that stores a payment checks it: it stores the payment only if the
 * right is valid at that moment. Every other operation looks it up first.
 */
export class Permit {
  /** Names the right in a statement. */
  readonly key: string;
  readonly #lookup: PermitLookup;
  #isValid: boolean | undefined;

  constructor(key: string, lookup: PermitLookup) {
    this.key = key;
    this.#lookup = lookup;
  }

  /** Undefined until it was looked up or checked. */
  get isValid(): boolean | undefined {
    return this.#isValid;
  }

  /** Whether it is valid. It is looked up unless that is known. */
  async confirm(): Promise<boolean> {
    this.#isValid ??= await this.#lookup.isValid();
    return this.#isValid;
  }

  /** What a statement found. */
  note(isValid: boolean): void {
    this.#isValid = isValid;
  }

  /** The query for a single key: always the same function for the same `PermitLookup`. */
  get validKey(): PermitLookup['validKey'] {
    return this.#lookup.validKey;
  }

  /** A query of the keys that are valid, among those of these permits. */
  validKeys(sql: Sql | Tx, permits: readonly Permit[]): postgres.PendingQuery<postgres.Row[]> {
    return this.#lookup.validKeys(sql, [...new Set(permits.map(({ key }) => key))]);
  }
}

/** The right of a caller was not valid when its request should have been stored; nothing was stored. */
export class PermitRefused extends Error {}

/** The code of a request without a valid right. */
export const refusedPermit = '800.900.300';
