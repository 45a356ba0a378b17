import type { Connector, ConnectorAnswer, ConnectorRequest } from './connector.js';
import type { CoreLogger } from './core-logger.js';
import { readAnswer } from './read-answer.js';

/**
 * Calls a connector and returns an answer in every case: an error or a timeout means that the outcome is
 * uncertain, and an answer is checked against the specification. A connector's error is not kept, because it may
 * quote the request.
 */
export async function askConnector(
  connector: Connector,
  request: ConnectorRequest,
  timeoutMs: number,
  logger: CoreLogger,
): Promise<ConnectorAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<ConnectorAnswer>((resolve) => {
    timer = setTimeout(() => resolve({ resultCode: '900.100.300' }), timeoutMs);
  });
  try {
    const { answer, issues } = readAnswer(await Promise.race([connector.process(request), timeout]));
    if (issues.length > 0) {
      const details = { connector: connector.name, paymentId: request.paymentId, issues };
      logger.warn(
        details,
        'A connector answer does not match the specification. The field issues lists what was changed.',
      );
    }
    return answer;
  } catch {
    return { resultCode: '900.100.100' };
  } finally {
    clearTimeout(timer);
  }
}
