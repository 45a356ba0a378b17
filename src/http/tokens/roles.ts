/**
 * What a token may do (design 10). `payments` pays, reads and queries, `reports` reads, queries and reports,
 * `backoffice` books chargebacks and queries. A token may have several roles.
 */
export const roles = ['payments', 'reports', 'backoffice'] as const;

/** See {@link roles}. */
export type Role = (typeof roles)[number];
