import type { ConnectorAnswer } from '../connectors/connector.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';

/** A connector's texts may quote the request: card numbers in them are truncated before they are kept. */
export function maskAnswer(answer: ConnectorAnswer): ConnectorAnswer {
  const { connectorTxIds, ...told } = answer;
  const masked = maskTexts(told);
  // Masking changes texts only, so the shape is the answer's.
  return { ...(masked as ConnectorAnswer), ...(connectorTxIds === undefined ? {} : { connectorTxIds }) };
}

function maskTexts(value: unknown): unknown {
  if (typeof value === 'string') return maskCardNumbers(value);
  if (Array.isArray(value)) return value.map(maskTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, maskTexts(part)]));
}
