import { inOwnTransaction } from '../../db/transaction.js';
import { exitCodes } from '../../errors.js';
import { explainRecord } from '../../matching/explain-record.js';
import { formatExplanation } from '../../matching/format-explanation.js';
import type { RunCommand } from '../commands.js';
import { printableLines } from '../printable.js';

export const explain: RunCommand = async (context, [reference = '']) => {
  const { attributes } = context.config().matching;
  const { sql } = await context.database();
  const explanation = await inOwnTransaction(
    sql,
    (tx) => explainRecord(tx, reference, { attributes }),
    'isolation level repeatable read read only',
  );
  context.print(explanation, () => printableLines(formatExplanation(explanation).trimEnd()));
  return exitCodes.done;
};
