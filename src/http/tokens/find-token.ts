import { Permit, type Environment } from '../../payment-core/index.js';
import type { Sql } from '../../db/client.js';
import { readTogetherOn, type SharedRead } from '../../db/read-together.js';
import { sendTogether } from '../../db/send-together.js';
import type { Role } from './roles.js';
import { hashOfToken } from './token-text.js';
import { isValid, validKey, validKeys } from './valid-keys.js';

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
  /** In the time of `performance.now()`: then its use must be noted again. */
  readonly noteAt: number;
}

/** A token that somebody sent. */
export interface TokenLookup {
  /** The owner at the last look-up of this process; undefined if the token was not valid then, or is new to it. */
  readonly before: Principal | undefined;
  /** Looks up the owner now; undefined if the token is unknown, revoked or expired. */
  readonly now: () => Promise<Principal | undefined>;
  /** The right of `before`, to be checked later; undefined if the token must be looked up, because its use is noted. */
  readonly permit: () => Permit | undefined;
}

/** Looks up the owner of a token of one environment. */
export type FindToken = (token: string) => TokenLookup;

/** Owners that a process remembers: more than merchants send requests at the same time. */
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
    remembered.set(hash, { owner, noteAt: performance.now() + notedForMs });
    return owner;
  };
  return (token) => {
    const hash = hashOfToken(token);
    const known = remembered.get(hash);
    const now = () => look(hash);
    return {
      before: known?.owner,
      now,
      permit: () => {
        if (known === undefined || performance.now() >= known.noteAt) return undefined;
        const { owner } = known;
        const stillValid = async () => isSame(owner, await now());
        return new Permit(keyOf(hash, environment, owner), { validKeys, validKey, isValid: stillValid });
      },
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
    columns: {
      tokenId: 'id',
      environment: 'environment',
      entityIds: 'array_to_json(entity_ids)::text',
      roles: 'array_to_json(roles)::text',
      notedForMs: `(${notedForMs})::text`,
    },
    given: ({ hash }) => hash,
    result: (row, { hash, environment }) => {
      // None of the columns is null.
      const token = row as TokenTexts | undefined;
      if (token?.environment !== environment) return undefined;
      const { tokenId } = token;
      // Both are arrays of texts.
      const [entityIds, roles] = [JSON.parse(token.entityIds) as string[], JSON.parse(token.roles) as Role[]];
      return { hash, environment, tokenId, entityIds, roles, notedForMs: Number(token.notedForMs) };
    },
  },
};

type TokenTexts = Readonly<Record<'tokenId' | 'environment' | 'entityIds' | 'roles' | 'notedForMs', string>>;

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
