import type { CoreLogger } from '../core/core-context.js';
import type { Connector, ConnectorAnswer, ConnectorRequest } from './connector.js';
import { readAnswer } from './read-answer.js';

/**
 * Asks a connector and turns whatever happens into an answer: an error or a silence means that the outcome is
 * uncertain, and an answer is held to the specification. What a connector throws is not kept: it may quote the
 * request.
 */
export async function askConnector(
  connector: Connector,
  request: ConnectorRequest,
  timeoutMs: number,
  logger: CoreLogger,
): Promise<ConnectorAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<ConnectorAnswer>((resolve) => {
    timer = setTimeout(() => resolve({ resultCode: '900.100.300' }), timeoutMs);
  });
  try {
    const { answer, issues } = readAnswer(await Promise.race([connector.process(request), silence]));
    if (issues.length > 0) {
      const details = { connector: connector.name, paymentId: request.paymentId, issues };
      logger.warn(
        details,
        'A connector answered against the specification; see issues for what was changed.',
      );
    }
    return answer;
  } catch {
    return { resultCode: '900.100.100' };
  } finally {
    clearTimeout(timer);
  }
}
