import { pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';

/**
 * Access tokens of the gateway (design 10). The token itself is never stored: it has 256 random bits, so its SHA-256
 * needs neither salt nor stretching.
 */
export const apiTokens = pgTable(
  'api_tokens',
  {
    /** Public name of the token, for lists, logs and `recon tokens revoke`. */
    id: identifier('id').primaryKey(),
    /** SHA-256 of the token, as hexadecimal. */
    hash: identifier('hash').notNull(),
    /** test | live: a token is valid in one of them. */
    environment: identifier('environment').notNull(),
    entityIds: text('entity_ids').array().notNull(),
    /** payments | reports | backoffice */
    roles: text('roles').array().notNull(),
    createdAt: moment('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    /** To the minute: a busy token must not write a row for every request. */
    lastUsedAt: moment('last_used_at'),
    /** Set by a rotation: the old token is valid until then. */
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    /** The token that replaced this one. */
    replacedBy: identifier('replaced_by'),
  },
  (table) => [uniqueIndex('api_tokens_hash').on(table.hash)],
);
