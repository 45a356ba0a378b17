import { damageOf } from '../damaged-input/cell-damage.js';
import { columns } from '../settlement-file/columns.js';
import type { RowIssue } from '../settlement-file/row-issues.js';
import { meaningOf } from '../settlement-file/validate-row.js';
import { counted } from '../values/counted.js';

/** How many kinds of issues a message names. */
const issuesNamed = 12;

const positionOf = new Map(columns.map((column, index) => [column.name, index]));

/** Rows with the same issue in the same column. */
interface IssueKind {
  rows: number;
  readonly firstLine: number;
  readonly issue: RowIssue;
  /** `decimal comma`, when that is what it looks like. */
  readonly damage: string | undefined;
}

/** The issues of the rejected rows of a file, counted by column and code. */
export class IssueCounts {
  readonly #kinds = new Map<string, IssueKind>();

  add(line: number, cells: readonly string[], issues: readonly RowIssue[]): void {
    for (const issue of issues) {
      const key = `${issue.column} ${issue.code}`;
      const kind = this.#kinds.get(key);
      if (kind === undefined) {
        this.#kinds.set(key, { rows: 1, firstLine: line, issue, damage: damageIn(cells, issue) });
      } else kind.rows += 1;
    }
  }

  /**
   * What is wrong, for a message: a line for each column and kind of issue, in the order of the columns.
   *
   * @param total how many rows the file has
   */
  lines(total: number): string {
    const kinds = [...this.#kinds.values()].sort((a, b) => columnOf(a) - columnOf(b));
    const named = kinds.slice(0, issuesNamed).map((kind) => `\n  ${describe(kind, total)}`);
    const left = kinds.length - named.length;
    return `${named.join('')}${left > 0 ? `\n  … and ${left} more` : ''}`;
  }
}

/** What probably happened to the cell of an issue; undefined if it looks like nothing known. */
function damageIn(cells: readonly string[], issue: RowIssue): string | undefined {
  const position = positionOf.get(issue.column);
  const column = position === undefined ? undefined : columns[position];
  return column === undefined ? undefined : damageOf(meaningOf(column), cells[position ?? 0] ?? '')?.what;
}

/** An issue of the row as a whole comes first. */
const columnOf = ({ issue }: IssueKind) => positionOf.get(issue.column) ?? -1;

function describe({ rows, firstLine, issue, damage }: IssueKind, total: number): string {
  const { column, message, value } = issue;
  const where = column === '' ? 'Row' : column;
  const example = column === '' || value === '' ? '' : `, for example '${value}'`;
  const guess = damage === undefined ? '' : ` (${damage.replace(/^an? /, '')}?)`;
  return `${where}: ${rows} of ${counted(total, 'row')}${example}${guess}. Line ${firstLine}: ${message}`;
}
