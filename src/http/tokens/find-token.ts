import { CallerPermission, type Environment } from '../../payment-core/index.js';
import type { Sql } from '../../db/client.js';
import { readTogetherOn, type SharedRead } from '../../db/read-together.js';
import { sendTogether } from '../../db/send-together.js';
import type { Role } from './roles.js';
import { hashOfToken } from './token-text.js';
import { isValid, keyReads, validKey, validKeys } from './valid-keys.js';

/** Whoever sent a valid token. */
export interface Principal {
  readonly tokenId: string;
  readonly entityIds: readonly string[];
  readonly roles: readonly Role[];
}

interface FoundToken extends Principal {
  readonly hash: string;
  readonly environment: Environment;
  /** How long its use need not be noted again. */
  readonly notedForMs: number;
}

interface Remembered {
  readonly owner: Principal;
  /** `validKey` looks for it. */
  readonly key: string;
  /** In the time of `performance.now()`: then its use must be noted again. */
  readonly noteAt: number;
}

/** A token that somebody sent. */
export interface TokenLookup {
  /** The owner at the last look-up of this process; undefined if the token was not valid then, or is new to it. */
  readonly before: Principal | undefined;
  /** Looks up the owner now; undefined if the token is unknown, revoked or expired. */
  readonly now: () => Promise<Principal | undefined>;
  /** The permission of `before`, checked later; undefined if the token must be looked up, because its use is noted. */
  readonly permission: () => CallerPermission | undefined;
  /**
   * Whether the token is valid now and still has the rights of `before`. Cheaper than `now`; undefined as with
   * `permission`.
   */
  readonly isStill: () => Promise<boolean> | undefined;
}

/** Looks up the owner of a token of one environment. */
export type FindToken = (token: string) => TokenLookup;

/** Owners that a process remembers: more than the merchants that send requests at the same time. */
const mostRemembered = 10_000;

/** The use of a token is noted to the minute. */
const minuteMs = 60_000;

/**
 * Reads the token for every request, because a revocation takes effect at once in every process. Requests that arrive
 * in the same turn of the event loop share one look-up, which is sent after all of them arrived. The index finds the
 * token by its hash, so the time of the search shows nothing about the token.
 */
export function tokenFinder(sql: Sql, environment: Environment): FindToken {
  const read = readTogetherOn(sql);
  const touch = sendTogether((ids: readonly string[]) => noteUse(sql, ids));
  const remembered = new Map<string, Remembered>();
  const look = async (hash: string): Promise<Principal | undefined> => {
    const owner = await read(tokenReads, { hash, environment });
    if (owner === undefined) {
      remembered.delete(hash);
      return undefined;
    }
    if (owner.notedForMs <= 0) await touch(owner.tokenId);
    if (remembered.size >= mostRemembered) remembered.clear();
    const notedForMs = owner.notedForMs <= 0 ? minuteMs : owner.notedForMs;
    const key = keyOf(hash, environment, owner);
    remembered.set(hash, { owner, key, noteAt: performance.now() + notedForMs });
    return owner;
  };
  return (token) => {
    const hash = hashOfToken(token);
    const known = remembered.get(hash);
    const now = () => look(hash);
    const rights = known === undefined || performance.now() >= known.noteAt ? undefined : known;
    return {
      before: known?.owner,
      now,
      permission: () => {
        if (rights === undefined) return undefined;
        const stillValid = async () => isSame(rights.owner, await now());
        return new CallerPermission(rights.key, { validKeys, validKey, isValid: stillValid });
      },
      isStill: () => rights && read(keyReads, rights.key),
    };
  };
}

/** As `validKeys` builds it. */
function keyOf(hash: string, environment: Environment, { entityIds, roles }: Principal): string {
  return [hash, environment, entityIds.join(), roles.join()].join(' ');
}

const notedForMs = `coalesce(extract(epoch from last_used_at + interval '1 minute' - now()) * 1000, 0)`;

/** Valid tokens by their hashes. */
const tokenReads: SharedRead<{ hash: string; environment: Environment }, FoundToken | undefined> = {
  name: 'tokens',
  value: (given) => `(
    select json_agg(json_build_object('hash', hash, 'environment', environment, 'tokenId', id,
      'entityIds', entity_ids, 'roles', roles,
      'notedForMs', ${notedForMs}))
    from api_tokens
    where hash = any (array(select jsonb_array_elements_text(${given}::jsonb) collate "C"))
      and ${isValid})`,
  given: (calls) => JSON.stringify([...new Set(calls.map(({ hash }) => hash))]),
  results: (value, calls) => {
    // The statement above builds the list.
    const found = new Map(((value ?? []) as readonly FoundToken[]).map((token) => [token.hash, token]));
    return calls.map(({ hash, environment }) => {
      const token = found.get(hash);
      return token?.environment === environment ? token : undefined;
    });
  },
  one: {
    query: (given, columns) =>
      `select ${columns} from api_tokens where hash = ${given} collate "C" and ${isValid}`,
    columns: [
      'id',
      'environment',
      'array_to_json(entity_ids)::text',
      'array_to_json(roles)::text',
      `(${notedForMs})::text`,
    ],
    given: ({ hash }) => hash,
    result: (row, { hash, environment }) => {
      if (row === undefined) return undefined;
      // None of the columns is null.
      const [tokenId, its, entities, roles, noted] = row as readonly [string, string, string, string, string];
      if (its !== environment) return undefined;
      return {
        hash,
        environment,
        tokenId,
        // Both are arrays of texts.
        entityIds: JSON.parse(entities) as string[],
        roles: JSON.parse(roles) as Role[],
        notedForMs: Number(noted),
      };
    },
  },
};

/** Skipped while another request writes the same: it is the same minute. */
async function noteUse(sql: Sql, ids: readonly string[]): Promise<readonly undefined[]> {
  await sql`
    update api_tokens set last_used_at = now()
    where id in (select id from api_tokens where id = any (${[...new Set(ids)]}) for update skip locked)`;
  return ids.map(() => undefined);
}

/** Whether two look-ups of a token found the same rights. */
export function isSame(one: Principal | undefined, other: Principal | undefined): boolean {
  if (one === other) return true;
  return (
    one?.tokenId === other?.tokenId &&
    one?.entityIds.join() === other?.entityIds.join() &&
    one?.roles.join() === other?.roles.join()
  );
}
