import type { Environment } from '../../payment-core/index.js';
import type { Sql } from '../../db/client.js';
import { sendTogether } from '../../db/send-together.js';
import type { Role } from './roles.js';
import { hashOfToken } from './token-text.js';

/** Whoever sent a valid token. */
export interface Principal {
  readonly tokenId: string;
  readonly entityIds: readonly string[];
  readonly roles: readonly Role[];
}

interface TokenRow {
  readonly hash: string;
  readonly id: string;
  readonly entityIds: string[];
  readonly roles: Role[];
  readonly isStale: boolean;
}

/** The look-up of a token, which is on its way. */
export interface TokenLookup {
  /** The owner at the last look-up of this process; undefined if the token was not valid then, or is new to it. */
  readonly before: Principal | undefined;
  /** The owner now; undefined if the token is unknown, revoked or expired. */
  readonly now: Promise<Principal | undefined>;
}

/** Looks up the owner of a token of one environment. */
export type FindToken = (token: string) => TokenLookup;

/** Owners that a process remembers: more than merchants send requests at the same time. */
const mostRemembered = 10_000;

/**
 * Reads the token for every request, because a revocation takes effect at once in every process. Requests that arrive
 * in the same turn of the event loop share one look-up, which is sent after all of them arrived. The index finds the
 * token by its hash, so the time of the search shows nothing about the token.
 */
export function tokenFinder(sql: Sql, environment: Environment): FindToken {
  const find = sendTogether((hashes: readonly string[]) => findOwners(sql, hashes, environment));
  const remembered = new Map<string, Principal>();
  return (token) => {
    const hash = hashOfToken(token);
    const now = find(hash).then((owner) => {
      if (owner === undefined) remembered.delete(hash);
      else {
        if (remembered.size >= mostRemembered) remembered.clear();
        remembered.set(hash, owner);
      }
      return owner;
    });
    return { before: remembered.get(hash), now };
  };
}

/** Whether two look-ups of a token found the same rights. */
export function isSame(one: Principal | undefined, other: Principal | undefined): boolean {
  return (
    one?.tokenId === other?.tokenId &&
    one?.entityIds.join() === other?.entityIds.join() &&
    one?.roles.join() === other?.roles.join()
  );
}

async function findOwners(
  sql: Sql,
  hashes: readonly string[],
  environment: Environment,
): Promise<readonly (Principal | undefined)[]> {
  const rows = await sql<TokenRow[]>`
    select hash, id, entity_ids as "entityIds", roles,
      last_used_at is null or last_used_at < now() - interval '1 minute' as "isStale"
    from api_tokens
    where hash = any (${[...new Set(hashes)]}) and environment = ${environment}
      and revoked_at is null and (expires_at is null or expires_at > now())`;
  const stale = rows.filter(({ isStale }) => isStale).map(({ id }) => id);
  if (stale.length > 0) {
    // Skipped while another request writes the same: it is the same minute.
    await sql`
      update api_tokens set last_used_at = now()
      where id in (select id from api_tokens where id = any (${stale}) for update skip locked)`;
  }
  const owners = new Map(
    rows.map(({ hash, id, entityIds, roles }) => [hash, { tokenId: id, entityIds, roles }]),
  );
  return hashes.map((hash) => owners.get(hash));
}
