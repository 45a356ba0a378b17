import type { Connector, ConnectorAnswer, ConnectorRequest } from './connector.js';
import type { CoreLogger } from './core-logger.js';
import { placeOfError } from './place-of-error.js';
import { readAnswer } from './read-answer.js';

/**
 * Calls a connector and returns an answer in every case: an error or a timeout means that the outcome is
 * uncertain, and an answer is checked against the specification. The message of a connector's error is not kept,
 * because it may quote the request.
 */
export async function askConnector(
  connector: Connector,
  request: ConnectorRequest,
  timeoutMs: number,
  logger: CoreLogger,
): Promise<ConnectorAnswer> {
  const asked = { connector: connector.name, paymentId: request.paymentId };
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<ConnectorAnswer>((resolve) => {
    timer = setTimeout(() => {
      logger.warn({ ...asked, timeoutMs }, 'A connector did not answer in time. The outcome is not known.');
      resolve({ resultCode: '900.100.300' });
    }, timeoutMs);
  });
  try {
    const { answer, issues } = readAnswer(await Promise.race([connector.process(request), timeout]));
    if (issues.length > 0) {
      logger.warn(
        { ...asked, issues },
        'A connector answer does not match the specification. The field issues lists what was changed.',
      );
    }
    return answer;
  } catch (thrown) {
    const details = { ...asked, err: placeOfError(thrown) };
    logger.warn(details, 'A connector failed. The outcome of the payment is not known.');
    return { resultCode: '900.100.100' };
  } finally {
    clearTimeout(timer);
  }
}
