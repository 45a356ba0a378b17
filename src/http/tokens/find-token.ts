import type { Environment } from '../../payment-core/index.js';
import type { Sql } from '../../db/client.js';
import type { Role } from './roles.js';
import { hashOfToken } from './token-text.js';

/** Whoever sent a valid token. */
export interface Principal {
  readonly tokenId: string;
  readonly entityIds: readonly string[];
  readonly roles: readonly Role[];
}

interface TokenRow {
  readonly id: string;
  readonly entityIds: string[];
  readonly roles: Role[];
  readonly isStale: boolean;
}

/** Finds the owner of a token of one environment; undefined if the token is unknown, revoked or expired. */
export type FindToken = (token: string) => Promise<Principal | undefined>;

/**
 * Reads the token for every request, because a revocation takes effect at once in every process. Requests that arrive
 * in the same turn of the event loop share one look-up, which is sent after all of them arrived. The index finds the token by its hash, so the time of the search shows nothing about the
 * token.
 */
export function tokenFinder(sql: Sql, environment: Environment): FindToken {
  const ofThisTurn = new Map<string, Promise<Principal | undefined>>();
  return (token) => {
    const hash = hashOfToken(token);
    const shared = ofThisTurn.get(hash);
    if (shared !== undefined) return shared;
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      ofThisTurn.delete(hash);
      return findOwner(sql, hash, environment);
    });
    ofThisTurn.set(hash, found);
    return found;
  };
}

async function findOwner(sql: Sql, hash: string, environment: Environment): Promise<Principal | undefined> {
  const [row] = await sql<TokenRow[]>`
    select id, entity_ids as "entityIds", roles,
      last_used_at is null or last_used_at < now() - interval '1 minute' as "isStale"
    from api_tokens
    where hash = ${hash} and environment = ${environment}
      and revoked_at is null and (expires_at is null or expires_at > now())`;
  if (row === undefined) return undefined;
  if (row.isStale) {
    // Skipped while another request writes the same: it is the same minute.
    await sql`
      update api_tokens set last_used_at = now()
      where id in (select id from api_tokens where id = ${row.id} for update skip locked)`;
  }
  return { tokenId: row.id, entityIds: row.entityIds, roles: row.roles };
}
