import type { Fragment, Sql, Tx } from '../../db/client.js';

/** Who keeps the permissions of callers, and how to ask. */
export interface PermissionLookup {
  /** A query with one column: those of these keys that are valid now. */
  readonly validKeys: (sql: Sql | Tx, keys: readonly string[]) => Fragment;
  /** The text of a query that has one row if the key in this place of a parameter is valid now, and none otherwise. */
  readonly validKey: (given: string) => string;
  /** Looks one up by a separate statement. */
  readonly isValid: () => Promise<boolean>;
}

/**
 * The permission of a caller to make one request, which was valid a moment ago. Looking it up again before the request
 * is carried out costs a round trip, so the statement that stores a payment checks it: the payment is stored only if
 * the permission is valid at that moment. Every other operation looks it up first.
 */
export class CallerPermission {
  /** Names the permission in a statement. */
  readonly key: string;
  readonly #lookup: PermissionLookup;
  #isValid: boolean | undefined;

  constructor(key: string, lookup: PermissionLookup) {
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

  /** The query for a single key: always the same function for the same `PermissionLookup`. */
  get validKey(): PermissionLookup['validKey'] {
    return this.#lookup.validKey;
  }

  /** A query of the keys that are valid, among those of these permissions. */
  validKeys(sql: Sql | Tx, permissions: readonly CallerPermission[]): Fragment {
    return this.#lookup.validKeys(sql, [...new Set(permissions.map(({ key }) => key))]);
  }
}

/** The permission of a caller was not valid when its request should have been stored; nothing was stored. */
export class PermissionRefused extends Error {}

/** The code of a request without a valid permission. */
export const refusedPermission = '800.900.300';
