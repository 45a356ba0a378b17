import { inOwnTransaction } from '../../db/transaction.js';
import { exitCodes } from '../../errors.js';
import { explainSettingsOf } from '../../library/run-context-of.js';
import { explainRecord } from '../../matching/explain/explain-record.js';
import { explainWithStatements } from '../../matching/explain/explain-with-statements.js';
import { formatScript } from '../../matching/explain/statement-script.js';
import { formatExplanation } from '../../matching/explain/format-explanation.js';
import type { RunCommand } from '../command-definition.js';
import { viewOptions } from './items.js';
import { printableLines } from '../text/printable.js';

/** Why a record matched as it did, against the payments as they are now. */
export const explain: RunCommand = async (context, [reference = ''], options) => {
  const view = viewOptions(context, options);
  const settings = explainSettingsOf(context.config(), () => view);
  const { sql } = await context.database();
  const oneSnapshot = 'isolation level repeatable read read only';
  if (options['sql'] === true) {
    const found = await inOwnTransaction(
      sql,
      (tx) => explainWithStatements(tx, reference, settings),
      oneSnapshot,
    );
    const format = await loadFormatter();
    context.print(found, () => printableLines(formatScript(reference, found.statements, format)));
    return exitCodes.done;
  }
  const explanation = await inOwnTransaction(
    sql,
    (tx) => explainRecord(tx, reference, settings),
    oneSnapshot,
  );
  context.print(explanation, () => printableLines(formatExplanation(explanation).trimEnd()));
  return exitCodes.done;
};

/** Only this option needs the formatter, so that other commands do not load it. */
async function loadFormatter(): Promise<(statement: string) => string> {
  const { format } = await import('sql-formatter');
  return (statement) =>
    format(statement, { language: 'postgresql', keywordCase: 'lower', expressionWidth: 100 });
}
