import type { CurrencyTotal, RunTotals } from '../../outcome.js';
import type { Paint } from '../command-context.js';
import { groupThousands } from '../../values/group-thousands.js';
import { tableWidth, textTable } from './text-table.js';

/** What moved, one line per currency, and below it what the files state and did not move. */
export function totalsLines({ byCurrency, rejectedRows }: RunTotals, paint: Paint): string[] {
  const moved = byCurrency.filter((total) => total.records > 0);
  const table = movedTable(moved, paint);
  return [
    ...(moved.length === 0 ? [] : [table]),
    ...byCurrency.flatMap(unmovedLines),
    ...(rejectedRows.unreadable === 0
      ? []
      : [
          `not counted: ${count(rejectedRows.unreadable)} rejected ${rowsWord(rejectedRows.unreadable)} without a readable amount`,
        ]),
  ];
}

/** One line per currency or, if the amounts are too long for that, one column. */
function movedTable(moved: readonly CurrencyTotal[], paint: Paint): string {
  const names = ['gross', '- refunds', '- chargebacks', '+ reversals', '- fees', '= net'];
  const amounts = moved.map((total) =>
    [total.gross, total.refunds, total.chargebacks, total.reversals, total.fees, total.net].map(
      groupThousands,
    ),
  );
  const lines = textTable(
    ['', ...names],
    moved.map(({ currency }, index) => [currency, ...(amounts[index] ?? [])]),
    { paint },
  );
  const isNarrow = amounts.every((row) => row.reduce((sum, text) => sum + text.length + 2, 3) <= tableWidth);
  if (isNarrow) return lines;
  const columns = moved.map(({ currency }, index) =>
    textTable(
      ['', currency],
      names.map((name, at) => [name, amounts[index]?.[at] ?? '']),
      { paint },
    ),
  );
  return columns.join('\n');
}

/** `1,234` */
const count = (number: number) => groupThousands(String(number));

const rowsWord = (rows: number) => (rows === 1 ? 'row' : 'rows');

function unmovedLines({ currency, failed, rejected }: CurrencyTotal): string[] {
  const parts = [
    ...(failed.count === 0 ? [] : [`${count(failed.count)} FAILED (${flows(failed)})`]),
    ...(rejected.count === 0 ? [] : [`${count(rejected.count)} rejected (${flows(rejected)})`]),
  ];
  return parts.length === 0 ? [] : [`not counted in ${currency}: ${parts.join(', ')}`];
}

/** `100.00 POS, 2.50 NEG` */
function flows({ pos, neg }: CurrencyTotal['failed']): string {
  const stated = [
    ...(pos === '0.00' ? [] : [`${groupThousands(pos)} POS`]),
    ...(neg === '0.00' ? [] : [`${groupThousands(neg)} NEG`]),
  ];
  return stated.length === 0 ? '0.00' : stated.join(', ');
}
