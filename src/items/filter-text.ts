import type { ItemFilter } from './list-items.js';

/**
 * A filter as the options of `recon decide`, which is kept with each decision about it; empty if it restricts nothing.
 */
export function filterTextOf(filter: ItemFilter): string {
  const { status, lapsed, code, severity, account, currency, text, pattern, assignee } = filter;
  const given = {
    status: lapsed ? 'LAPSED' : status,
    code,
    severity,
    account,
    currency,
    text,
    pattern,
    'assigned-to': assignee,
  };
  return Object.entries(given)
    .flatMap(([name, value]) => (value === null ? [] : [`--${name} ${quoted(value)}`]))
    .join(' ');
}

const quoted = (value: string) => (/^[^\s'"]+$/.test(value) ? value : JSON.stringify(value));
