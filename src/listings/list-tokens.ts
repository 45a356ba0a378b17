import { isoMoment } from '../values/iso-moment.js';
import { listSource, type ListSource } from './listing.js';

/** An access token of the gateway. Its text is not stored. */
export interface ListedToken {
  readonly id: string;
  readonly environment: string;
  readonly entityIds: readonly string[];
  readonly roles: readonly string[];
  /** `replaced`: a rotation replaced it, and it is still valid until `expiresAt`. */
  readonly status: 'valid' | 'replaced' | 'expired' | 'revoked';
  /** ISO moments in UTC. */
  readonly createdAt: string;
  readonly createdBy: string;
  /** To the minute. */
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly replacedBy: string | null;
}

/** The access tokens, the newest first. */
export function tokenList(): ListSource<ListedToken> {
  return listSource<ListedToken, ListedToken>(
    (tx) => ({
      rows: tx`
        select id, environment, entity_ids as "entityIds", roles,
          case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired'
            when expires_at is not null then 'replaced' else 'valid' end as status,
          created_at as "createdAt", created_by as "createdBy", last_used_at as "lastUsedAt",
          expires_at as "expiresAt", revoked_at as "revokedAt", replaced_by as "replacedBy"
        from api_tokens order by created_at desc, id`,
      total: tx`select count(*)::integer as total from api_tokens`,
    }),
    (token) => ({
      ...token,
      createdAt: isoMoment(token.createdAt),
      lastUsedAt: isoMoment(token.lastUsedAt),
      expiresAt: isoMoment(token.expiresAt),
      revokedAt: isoMoment(token.revokedAt),
    }),
  );
}
