import { classifyResultCode } from '../results/classify-result-code.js';
import type { Connector, ConnectorAnswer, ConnectorRequest } from './connector.js';

/**
 * Asks a connector and turns whatever happens into an answer: an error or a silence means that the outcome is
 * uncertain, a code outside the catalogue is never believed. What a connector throws is not kept: it may quote
 * the request.
 */
export async function askConnector(
  connector: Connector,
  request: ConnectorRequest,
  timeoutMs: number,
): Promise<ConnectorAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<ConnectorAnswer>((resolve) => {
    timer = setTimeout(() => resolve({ resultCode: '900.100.300' }), timeoutMs);
  });
  try {
    return normalizeAnswer(await Promise.race([connector.process(request), silence]));
  } catch {
    return { resultCode: '900.100.100' };
  } finally {
    clearTimeout(timer);
  }
}

/** An answer with a code of the catalogue that a payment can have. */
export function normalizeAnswer(answer: ConnectorAnswer): ConnectorAnswer {
  const resultClass = classifyResultCode(answer.resultCode);
  // A chargeback code is a reason and no outcome of a payment.
  if (resultClass !== 'unknown' && resultClass !== 'chargeback') return answer;
  const { description: _, ...rest } = answer;
  return {
    ...rest,
    resultCode: '999.999.999',
    resultDetails: { ...answer.resultDetails, AcquirerResponse: answer.resultCode },
  };
}
