import { randomBytes } from 'node:crypto';
import { appendAuditEvents } from '../../db/audit-log/append-audit-events.js';
import type { Sql, Tx } from '../../db/client.js';
import { inPooledTransaction } from '../../db/transaction.js';
import { ReconError } from '../../errors.js';
import { validateParameters, type Environment } from '../../payment-core/index.js';
import type { Role } from './roles.js';
import { hashOfToken, newToken, newTokenId } from './token-text.js';

/** A token that was just made. Its text is shown once, since only its hash is stored. */
export interface NewToken {
  readonly id: string;
  readonly token: string;
}

/** The rights of a new token. */
export interface TokenRequest {
  readonly entityIds: readonly string[];
  readonly roles: readonly Role[];
  readonly environment: Environment;
  /** Who made it. */
  readonly author: string;
}

const lockTimeout = '15s';

/** @throws ReconError USAGE_INVALID when an entity id is not one */
export async function createToken(sql: Sql, request: TokenRequest): Promise<NewToken> {
  request.entityIds.forEach(requireEntityId);
  return inPooledTransaction(
    sql,
    async (tx) => {
      const made = await storeToken(tx, request);
      const { entityIds, roles, environment } = request;
      const details = { entityIds, roles, environment };
      await appendAuditEvents(tx, request.author, [{ action: 'token.created', subject: made.id, details }]);
      return made;
    },
    lockTimeout,
  );
}

/** The rule for entity ids is the core's. */
export function requireEntityId(entityId: string): void {
  const errors = validateParameters('query', { entityId }, { environment: 'live' });
  const [error] = errors.filter(({ name }) => name === 'entityId');
  if (error !== undefined) throw new ReconError('USAGE_INVALID', `--entity: ${error.message}.`);
}

async function storeToken(
  tx: Tx,
  { entityIds, roles, environment, author }: TokenRequest,
): Promise<NewToken> {
  const token = newToken(randomBytes);
  const id = newTokenId(randomBytes);
  await tx`
    insert into api_tokens (id, hash, environment, entity_ids, roles, created_at, created_by)
    values (${id}, ${hashOfToken(token)}, ${environment}, ${[...new Set(entityIds)]}, ${[...new Set(roles)]},
      now(), ${author})`;
  return { id, token };
}

/**
 * Revokes a token at once.
 *
 * @returns when it was revoked, which is earlier when it already was
 * @throws ReconError TOKEN_NOT_FOUND
 */
export async function revokeToken(sql: Sql, id: string, author: string): Promise<string> {
  return inPooledTransaction(
    sql,
    async (tx) => {
      const [row] = await tx<{ revokedAt: string; isNew: boolean }[]>`
        update api_tokens set revoked_at = coalesce(revoked_at, now()) where id = ${id}
        returning revoked_at as "revokedAt", revoked_at = now() as "isNew"`;
      if (row === undefined) throw tokenNotFound(id);
      if (row.isNew) {
        await appendAuditEvents(tx, author, [{ action: 'token.revoked', subject: id, details: {} }]);
      }
      return row.revokedAt;
    },
    lockTimeout,
  );
}

/** A token with the rights of another one, which is valid for a while longer. */
export interface RotatedToken extends NewToken {
  readonly replaces: string;
  /** Until then the old token is valid too. */
  readonly oldValidUntil: string;
}

/**
 * Makes a new token for the same entities and roles. The old one stays valid for a while, so that programs can change
 * over without an interruption. A token that a rotation replaced already is not extended.
 *
 * @throws ReconError TOKEN_NOT_FOUND, also for a token that is revoked or expired
 */
export async function rotateToken(
  sql: Sql,
  id: string,
  { overlapHours, author }: { readonly overlapHours: number; readonly author: string },
): Promise<RotatedToken> {
  return inPooledTransaction(
    sql,
    async (tx) => {
      const [old] = await tx<{ environment: Environment; entityIds: string[]; roles: Role[] }[]>`
        select environment, entity_ids as "entityIds", roles from api_tokens
        where id = ${id} and revoked_at is null and (expires_at is null or expires_at > now())
        for update`;
      if (old === undefined) throw tokenNotFound(id);
      const made = await storeToken(tx, { ...old, author });
      const [row] = await tx<{ until: string }[]>`
        update api_tokens set replaced_by = ${made.id},
          expires_at = least(expires_at, now() + ${overlapHours}::int * interval '1 hour')
        where id = ${id} returning expires_at as until`;
      const details = { replaces: id, overlapHours };
      await appendAuditEvents(tx, author, [{ action: 'token.rotated', subject: made.id, details }]);
      return { ...made, replaces: id, oldValidUntil: row?.until ?? '' };
    },
    lockTimeout,
  );
}

function tokenNotFound(id: string): ReconError {
  return new ReconError('TOKEN_NOT_FOUND', `There is no valid token ${id}.`);
}
