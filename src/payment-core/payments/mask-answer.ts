import type { ConnectorAnswer } from '../connectors/connector.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';

/**
 * A connector's texts may quote the request. Card numbers in them, and the account numbers of the request, are
 * truncated before they are stored. In the connector's references, only the account numbers of the request are: one in
 * twenty of the numeric references looks like a card number by chance, and an altered reference no longer matches
 * anything.
 *
 * @param cut `cutterOf` the parameters of the request
 */
export function maskAnswer(
  answer: ConnectorAnswer,
  cut: (text: string) => string = unchanged,
): ConnectorAnswer {
  const mask = (text: string) => maskCardNumbers(cut(text));
  const masked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(answer)) {
    masked[name] = maskTexts(value, references.has(name) ? cut : mask);
  }
  // Masking changes texts only, so the shape stays that of the answer.
  return masked as unknown as ConnectorAnswer;
}

const references: ReadonlySet<string> = new Set(['connectorTxIds', 'initialTransactionId']);

const unchanged = (text: string) => text;

function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((part) => maskTexts(part, mask));
  if (typeof value !== 'object' || value === null) return value;
  const masked: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) masked[name] = maskTexts(part, mask);
  return masked;
}
