import { exitCodes } from '../../errors.js';
import { explainRecord } from '../../matching/explain-record.js';
import { formatExplanation } from '../../matching/format-explanation.js';
import type { RunCommand } from '../commands.js';
import { printableLines } from '../printable.js';

export const explain: RunCommand = async (context, [reference = '']) => {
  const { attributes } = context.config().matching;
  const { sql } = await context.database();
  const explanation = await sql.begin('isolation level repeatable read read only', (tx) =>
    explainRecord(tx, reference, { attributes }),
  );
  context.print(explanation, () => printableLines(formatExplanation(explanation).trimEnd()));
  return exitCodes.done;
};
