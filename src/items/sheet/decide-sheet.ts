import type { Sql, Tx } from '../../db/client.js';
import { inOwnSession } from '../../db/transaction.js';
import { ReconError } from '../../errors.js';
import type { FilledInTable } from '../../spreadsheet/filled-in-table.js';
import { invalid, listed } from '../../spreadsheet/sheet-problems.js';
import { makeDecisions, type UseDecided } from '../decide.js';
import type { Deciding } from '../decision-request.js';
import { heldRows } from '../in-batches.js';
import { judgeSheet } from './judge-sheet.js';
import { readSheet } from './read-sheet.js';
import { lockDecisions } from '../store-decisions.js';

/**
 * Stores the decisions of a sheet that was given back (design 4.9): all of them or none. An unchanged row decides
 * nothing, and a row whose decision already stands changes nothing, so a sheet may be given back twice.
 *
 * @throws ReconError SHEET_INVALID, DECISION_CONFLICT, errors of the database; each names all rows concerned
 */
export async function decideSheet<Result>(
  sql: Sql,
  table: FilledInTable,
  deciding: Deciding,
  use: UseDecided<Result>,
): Promise<Result> {
  const sheet = readSheet(table);
  const transact = async (tx: Tx) => {
    await lockDecisions(tx);
    const judged = await judgeSheet(tx, sheet, deciding);
    if (judged.problems.length > 0) throw invalid(sheet.name, judged.problems);
    if (judged.conflicts.length > 0) {
      throw new ReconError(
        'DECISION_CONFLICT',
        listed(`Nothing of ${sheet.name} was stored`, judged.conflicts),
      );
    }
    return makeDecisions(tx, heldRows(judged.made), deciding, { remarks: judged.remarks });
  };
  return inOwnSession(sql, transact, (session, readDecided) => use(readDecided(session)));
}
