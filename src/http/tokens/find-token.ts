import type { Environment } from '../../payment-core/index.js';
import type { Sql } from '../../db/client.js';
import { readTogetherOn, type SharedRead } from '../../db/read-together.js';
import { sendTogether } from '../../db/send-together.js';
import type { Role } from './roles.js';
import { hashOfToken } from './token-text.js';

/** Whoever sent a valid token. */
export interface Principal {
  readonly tokenId: string;
  readonly entityIds: readonly string[];
  readonly roles: readonly Role[];
}

interface FoundToken extends Principal {
  readonly hash: string;
  readonly environment: Environment;
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
  const read = readTogetherOn(sql);
  const touch = sendTogether((ids: readonly string[]) => noteUse(sql, ids));
  const remembered = new Map<string, Principal>();
  const look = async (hash: string): Promise<Principal | undefined> => {
    const owner = await read(tokenReads, { hash, environment });
    if (owner === undefined) {
      remembered.delete(hash);
      return undefined;
    }
    if (owner.isStale) await touch(owner.tokenId);
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(hash, owner);
    return owner;
  };
  return (token) => {
    const hash = hashOfToken(token);
    return { before: remembered.get(hash), now: look(hash) };
  };
}

/** Valid tokens by their hashes. */
const tokenReads: SharedRead<{ hash: string; environment: Environment }, FoundToken | undefined> = {
  name: 'tokens',
  value: (sql, calls) => sql`(
    select json_agg(json_build_object('hash', hash, 'environment', environment, 'tokenId', id,
      'entityIds', entity_ids, 'roles', roles,
      'isStale', last_used_at is null or last_used_at < now() - interval '1 minute'))
    from api_tokens
    where hash = any (array(select jsonb_array_elements_text(${hashesOf(calls)}::text::jsonb) collate "C"))
      and revoked_at is null and (expires_at is null or expires_at > now()))`,
  results: (value, calls) => {
    // The statement above builds the list.
    const found = new Map(((value ?? []) as readonly FoundToken[]).map((token) => [token.hash, token]));
    return calls.map(({ hash, environment }) => {
      const token = found.get(hash);
      return token?.environment === environment ? token : undefined;
    });
  },
};

const hashesOf = (calls: readonly { hash: string }[]) =>
  JSON.stringify([...new Set(calls.map(({ hash }) => hash))]);

/** Skipped while another request writes the same: it is the same minute. */
async function noteUse(sql: Sql, ids: readonly string[]): Promise<readonly undefined[]> {
  await sql`
    update api_tokens set last_used_at = now()
    where id in (select id from api_tokens where id = any (${[...new Set(ids)]}) for update skip locked)`;
  return ids.map(() => undefined);
}

/** Whether two look-ups of a token found the same rights. */
export function isSame(one: Principal | undefined, other: Principal | undefined): boolean {
  return (
    one?.tokenId === other?.tokenId &&
    one?.entityIds.join() === other?.entityIds.join() &&
    one?.roles.join() === other?.roles.join()
  );
}
