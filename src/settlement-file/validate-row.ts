import * as z from 'zod';
import {
  damageSentence,
  lostZeros,
  shortenedNumber,
  spreadsheetError,
  type CellMeaning,
} from '../damaged-input/cell-damage.js';
import { describeInvisible, holdsInvisible } from '../damaged-input/invisible-characters.js';
import { isCalendarDate } from '../values/calendar-date.js';
import { currencyRule, isCurrency } from '../values/currencies.js';
import { parseAmount } from '../values/money.js';
import { columns, type CellType, type Column } from './columns.js';
import { presentCell, type IssueCode, type RowIssue } from './row-issues.js';

/** One rule of a cell: the first one that fails is the cell's issue. */
interface Rule {
  readonly code: IssueCode;
  /** Completes "<Column> …". */
  readonly message: string;
  holds(cell: string): boolean;
}

const notInvisible: Rule = {
  code: 'CONTROL_CHARACTER',
  message: 'contains a control or invisible character',
  holds: (cell) => !holdsInvisible(cell),
};

/** A reference that a spreadsheet changed: several different ones may have become equal. */
const notDamaged: readonly Rule[] = [
  {
    code: 'SPREADSHEET_NUMBER',
    message: 'must be the whole reference',
    holds: (cell) => !shortenedNumber.test(cell),
  },
  {
    code: 'SPREADSHEET_ERROR',
    message: 'must be the reference itself',
    holds: (cell) => !spreadsheetError.test(cell),
  },
];

const allDigits: Rule = {
  code: 'LOST_ZEROS',
  message: 'must have four digits',
  holds: (cell) => !lostZeros.test(cell),
};

const filled: Rule = { code: 'REQUIRED', message: 'is required and empty', holds: (cell) => cell !== '' };

const identifier = /^[0-9A-Za-z]{32}$/;
const identifierList = /^[0-9A-Za-z]{32}(?:,[0-9A-Za-z]{32})*$/;

/** Date, time of day, fraction and zone; every value that the pattern allows exists, except for some days. */
const timestamp =
  /^(\d{4}-\d\d-\d\d) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?: ?(?:Z|[+-](?:(?:0\d|1[0-3]):?[0-5]\d|14:?00)))?$/;

/** Whether the text is a time in the format of TxRequestTime (design 4.2); 24:00 and second 60 are refused. */
function isTimestamp(text: string): boolean {
  const [, day] = timestamp.exec(text) ?? [];
  return day !== undefined && isCalendarDate(day);
}

/** Length in characters as people count them: code points, not UTF-16 units. */
function lengthOf(cell: string): number {
  let length = 0;
  for (const _ of cell) length += 1;
  return length;
}

function rulesOf(type: CellType): Rule[] {
  switch (type.kind) {
    case 'enum':
      return [
        {
          code: 'NOT_ALLOWED_VALUE',
          message: `must be one of ${type.values.join(', ')}`,
          holds: (cell) => type.values.includes(cell),
        },
      ];
    case 'text':
      return [
        ...(type.free ? [] : notDamaged),
        ...(type.digits === undefined ? [] : [allDigits]),
        ...lengthRules(type.min, type.max),
      ];
    case 'letters':
      return [
        pattern(/^[A-Za-z]*$/, 'may hold letters A-Z and a-z only'),
        ...lengthRules(type.min, type.max),
      ];
    case 'digits and dots':
      return [pattern(/^[0-9.]*$/, 'may hold digits and dots only'), ...lengthRules(type.min, type.max)];
    case 'identifier':
      return [...notDamaged, pattern(identifier, 'must be exactly 32 letters or digits')];
    case 'identifiers':
      return [
        ...notDamaged,
        pattern(identifierList, 'must be ids of exactly 32 letters or digits, separated by commas'),
      ];
    case 'amount':
      return [
        {
          code: 'NOT_AN_AMOUNT',
          message: 'must be 1 to 10 digits, a dot and 2 digits, for example 123.45',
          holds: (cell) => parseAmount(cell) !== undefined,
        },
      ];
    case 'currency':
      return [
        {
          code: 'UNKNOWN_CURRENCY',
          message: currencyRule,
          holds: isCurrency,
        },
      ];
    case 'date':
      return [
        {
          code: 'NOT_A_DATE',
          message: 'must be an existing day of the years 1900 to 2099, written yyyy-MM-dd',
          holds: isCalendarDate,
        },
      ];
    case 'timestamp':
      return [
        {
          code: 'NOT_A_TIMESTAMP',
          message:
            'must be an existing time, written yyyy-MM-dd HH:mm:ss, optionally with fraction and zone offset',
          holds: isTimestamp,
        },
      ];
  }
}

function pattern(allowed: RegExp, message: string): Rule {
  return { code: 'PATTERN', message, holds: (cell) => allowed.test(cell) };
}

function lengthRules(min: number, max: number): Rule[] {
  return [
    {
      code: 'TOO_SHORT',
      message: `must have at least ${min} characters`,
      holds: (cell) => cell.length >= 2 * min || lengthOf(cell) >= min,
    },
    {
      code: 'TOO_LONG',
      message: `may have ${max} characters at most`,
      // A character has two units at most, so a cell of a megabyte is not counted.
      holds: (cell) => cell.length <= max || (cell.length <= 2 * max && lengthOf(cell) <= max),
    },
  ];
}

const rulesByColumn = columns.map((column) => [notInvisible, ...rulesOf(column.type)]);

/** The first rule that a cell breaks. */
function brokenRule(position: number, cell: string): Rule | undefined {
  if (cell === '') return columns[position]?.required === true ? filled : undefined;
  return rulesByColumn[position]?.find((rule) => !rule.holds(cell));
}

/** Whether the cell of the column at this position, from 0, is allowed there. */
export function isValidCell(position: number, cell: string): boolean {
  return brokenRule(position, cell) === undefined;
}

/** Built once: a schema is far too slow to build per row. */
function schemaOf(column: Column, position: number) {
  return z.string().superRefine((cell, context) => {
    const broken = brokenRule(position, cell);
    if (broken === undefined) return;
    context.addIssue({
      code: 'custom',
      message: messageOf(column, broken, cell),
      params: { issueCode: broken.code },
    });
  });
}

/** What the cell must be, what was found if that is hard to see, and the probable damage. */
function messageOf(column: Column, broken: Rule, cell: string): string {
  if (broken === notInvisible) return `${column.name} holds ${describeInvisible(cell)}.`;
  const damage = broken === filled ? '' : damageSentence(meaningOf(column), cell);
  return `${column.name} ${broken.message}.${damage === '' ? '' : ` ${damage}`}`;
}

/** The properties of a column that are needed to recognise damage. */
export function meaningOf({ type }: Column): CellMeaning {
  switch (type.kind) {
    case 'amount':
    case 'date':
    case 'timestamp':
      return type.kind;
    case 'identifier':
    case 'identifiers':
      return 'reference';
    case 'text':
      if (type.digits !== undefined) return 'last four';
      return type.free ? 'other' : 'reference';
    default:
      return 'other';
  }
}

const schemas = columns.map(schemaOf);

/**
 * Every reason why a row is rejected, at most one per cell, in the order of the columns; empty when it is valid (design
 * 4.2). This is the authority: the fast check of `OrdinaryRowScanner` only ever accepts what this accepts.
 */
export function validateRow(cells: readonly string[]): RowIssue[] {
  if (isEmptyRow(cells)) return [emptyRow];
  if (cells.length !== columns.length) return [columnCountIssue(cells)];
  // zod takes four times as long as these rules, and a tuple of all cells several times longer. So it is called only
  // for a cell that breaks one.
  return cells.flatMap((cell, position) =>
    brokenRule(position, cell) === undefined ? [] : issuesOfCell(position, cell),
  );
}

/** Whether the row has only separators, and not too many of them. */
function isEmptyRow(cells: readonly string[]): boolean {
  return cells.length > 1 && cells.length <= columns.length && cells.every((cell) => cell === '');
}

const emptyRow: RowIssue = {
  column: '',
  code: 'EMPTY_ROW',
  message:
    'The row is empty: it has only separators, which spreadsheets leave below a table. Delete the row.',
  value: '',
};

function columnCountIssue(cells: readonly string[]): RowIssue {
  const isBlank = cells.length === 1 && cells[0] === '';
  const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
  const found = isBlank ? 'The line is blank' : `The row has ${count}`;
  return {
    column: '',
    code: 'COLUMN_COUNT',
    message: `${found}; a row has ${columns.length}.`,
    value: String(isBlank ? 0 : cells.length),
  };
}

function issuesOfCell(position: number, cell: string): RowIssue[] {
  const [column, schema] = [columns[position], schemas[position]];
  if (column === undefined || schema === undefined) throw new Error(`there is no column ${position}`);
  const result = schema.safeParse(cell);
  return result.success ? [] : result.error.issues.map((issue) => toRowIssue(issue, column, cell));
}

function toRowIssue(issue: z.core.$ZodIssue, column: Column, cell: string): RowIssue {
  if (issue.code !== 'custom') throw new Error(`unexpected issue ${issue.code} of ${column.name}`);
  return {
    column: column.name,
    // `schemaOf` is the only source of issues and always puts a code there.
    code: issue.params?.['issueCode'] as IssueCode,
    message: issue.message,
    value: presentCell(cell),
  };
}
