import { watchStatements } from '../../db/watch-statements.js';
import { explainRecord } from './explain-record.js';
import type { Tx } from '../fragment.js';
import type { ExplainSettings, Explanation } from './explanation.js';
import { shownParameter, type ExplainingStatement } from './statement-script.js';

/**
 * Explains a record, and returns the statements that did it in the order in which they were sent.
 *
 * @throws ReconError RECORD_NOT_FOUND
 */
export async function explainWithStatements(
  tx: Tx,
  reference: string,
  settings: ExplainSettings,
): Promise<{ explanation: Explanation; statements: ExplainingStatement[] }> {
  const statements: ExplainingStatement[] = [];
  const titled = (title: string) =>
    watchStatements(tx, ({ text, parameters, types }) => {
      const shown = parameters.map((value, index) => shownParameter(value, types[index]));
      statements.push({ title, text, parameters: shown });
    });
  return { explanation: await explainRecord(tx, reference, settings, titled), statements };
}
