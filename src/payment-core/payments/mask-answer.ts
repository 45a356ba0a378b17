import type { ConnectorAnswer } from '../connectors/connector.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';

/**
 * A connector's texts may quote the request: card numbers in them are truncated before they are kept. Its own
 * references are left whole: one in twenty of those that are digits looks like a card number by chance, and a
 * reference that was altered finds nothing any more.
 */
export function maskAnswer(answer: ConnectorAnswer): ConnectorAnswer {
  const { connectorTxIds, initialTransactionId, ...told } = answer;
  const masked = maskTexts(told);
  return {
    // Masking changes texts only, so the shape is the answer's.
    ...(masked as ConnectorAnswer),
    ...(connectorTxIds === undefined ? {} : { connectorTxIds }),
    ...(initialTransactionId === undefined ? {} : { initialTransactionId }),
  };
}

function maskTexts(value: unknown): unknown {
  if (typeof value === 'string') return maskCardNumbers(value);
  if (Array.isArray(value)) return value.map(maskTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, maskTexts(part)]));
}
