import type { ConnectorAnswer } from '../connectors/connector.js';
import type { Parameters } from '../fields/parameters.js';
import { cutterOf } from '../secrets/own-numbers.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';

/**
 * A connector's texts may quote the request: card numbers in them, and the numbers of the request itself, are
 * truncated before they are kept. Its own
 * references are left whole: one in twenty of those that are digits looks like a card number by chance, and a
 * reference that was altered finds nothing any more.
 */
export function maskAnswer(answer: ConnectorAnswer, parameters: Parameters = {}): ConnectorAnswer {
  const cut = cutterOf(parameters);
  const { connectorTxIds, initialTransactionId, ...told } = answer;
  const masked = maskTexts(told, (text) => maskCardNumbers(cut(text)));
  return {
    // Masking changes texts only, so the shape is the answer's.
    ...(masked as ConnectorAnswer),
    ...(connectorTxIds === undefined ? {} : { connectorTxIds }),
    ...(initialTransactionId === undefined ? {} : { initialTransactionId }),
  };
}

function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((part) => maskTexts(part, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, maskTexts(part, mask)]));
}
