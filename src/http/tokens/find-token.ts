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

/**
 * The owner of a token of this environment, or undefined if the token is unknown, revoked or expired. It is read for
 * every request, because a revocation takes effect at once in every process. The index finds the token by its hash, so
 * the time of the search shows nothing about the token.
 */
export async function findToken(
  sql: Sql,
  token: string,
  environment: Environment,
): Promise<Principal | undefined> {
  const [row] = await sql<TokenRow[]>`
    select id, entity_ids as "entityIds", roles,
      last_used_at is null or last_used_at < now() - interval '1 minute' as "isStale"
    from api_tokens
    where hash = ${hashOfToken(token)} and environment = ${environment}
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
