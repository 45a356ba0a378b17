import { html, type Html, type Part } from './html.js';
import { count, money } from './texts.js';

/** A column of a table. */
export interface Column {
  readonly name: string;
  /** Numbers are aligned to the right. */
  readonly isNumeric?: boolean;
}

/** A column of numbers. */
export const numeric = (name: string): Column => ({ name, isNumeric: true });

interface TableOptions {
  readonly caption: Part;
  readonly columns: readonly Column[];
  /** Rows, or groups of rows as `<tbody>`. */
  readonly body: Part;
  readonly kind?: string;
}

/**
 * A table that becomes a list of names and values on a narrow screen (`td` carries the name of its column). The roles
 * repeat what the elements mean, because some browsers forget it when a table is laid out differently.
 */
export function table({ caption, columns, body, kind = '' }: TableOptions): Html {
  return html`<table class="stack ${kind}" role="table">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(
          ({ name, isNumeric }) =>
            html`<th scope="col" role="columnheader" ${isNumeric === true && html` class="n"`}>${name}</th>`,
        )}
      </tr>
    </thead>
    ${body}
  </table> `;
}

/** The body of a table with these rows. */
export function tableBody(rows: readonly Html[]): Html {
  return html`<tbody role="rowgroup">
    ${rows}
  </tbody>`;
}

/** @param kind the class of the row; empty for none */
export function row(cells: readonly Html[], kind = ''): Html {
  return html`<tr role="row" ${kind !== '' && html` class="${kind}"`}>
    ${cells}
  </tr> `;
}

/** The cell that names its row. */
export const rowName = (content: Part): Html => html`<th scope="row" role="rowheader">${content}</th>`;

/** Empty where there is nothing to say; a narrow screen then leaves the cell out. */
export const textCell = (column: string, content: Part): Html =>
  html`<td role="cell" class="${content === '' || content === null ? 'zero' : 'text'}" data-label="${column}">
    ${content}
  </td>`;

/** A number or, instead of a zero, a dash. */
export const countCell = (column: string, value: number, kind = ''): Html =>
  value === 0 ? nothingCell(column) : numberCell(column, count(value), kind);

/** An amount or, instead of 0.00, a dash. */
export const moneyCell = (column: string, amountMinor: bigint, kind = ''): Html =>
  amountMinor === 0n ? nothingCell(column) : numberCell(column, money(amountMinor), kind);

/** The result of its row, with the double rule below. */
export const netCell = (column: string, amountMinor: bigint): Html =>
  numberCell(column, html`<span>${money(amountMinor)}</span>`, 'net');

/** Lines such as amounts in several currencies. */
export const linesCell = (column: string, lines: readonly string[]): Html =>
  lines.length === 0
    ? nothingCell(column)
    : numberCell(
        column,
        lines.map((line) => html`<span class="line">${line}</span>`),
      );

/** A number as it is, a zero too. */
export const numberCell = (column: string, content: Part, kind = ''): Html =>
  html`<td role="cell" class="n ${kind}" data-label="${column}">${content}</td>`;

const nothingCell = (column: string): Html =>
  html`<td role="cell" class="n zero" data-label="${column}">–</td>`;
