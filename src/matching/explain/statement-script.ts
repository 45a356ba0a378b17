import { standingKinds } from '../../findings/open-item.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';

/** A statement that explained a record. */
export interface ExplainingStatement {
  readonly title: string;
  readonly text: string;
  /** One per parameter, in order. */
  readonly parameters: readonly StatementParameter[];
}

/** A value of a statement as `recon explain --sql` prints it. */
export interface StatementParameter {
  /** Name of the type in PostgreSQL. */
  readonly type: string;
  /** Null when it is left out because it might be a card number, a name or free text. */
  readonly value: string | null;
}

/** The types that parameters have; any other one is determined by the server. */
const typeNames: ReadonlyMap<number, string> = new Map([
  [16, 'boolean'],
  [20, 'bigint'],
  [21, 'smallint'],
  [23, 'integer'],
  [25, 'text'],
  [701, 'double precision'],
  [1043, 'varchar'],
  [1082, 'date'],
  [1184, 'timestamptz'],
  [1700, 'numeric'],
]);

/** Ids, dates, amounts and lists of them have a digit and no space; codes and lists of them are in capitals. */
const plain = /^(?=.*[0-9])[\w.:,%+-]{1,200}$|^[A-Z_,]{2,100}$|^CHARGEBACK REVERSAL$/;

/** The kinds of decisions are words. */
const decisionKinds = new Set<string>(standingKinds);

/** The parameter as it may be shown. Pure. */
export function shownParameter(value: unknown, type = 0): StatementParameter {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  const text = isPlain ? value.toString() : '';
  const isSafe = decisionKinds.has(text) || (plain.test(text) && maskCardNumbers(text) === text);
  return { type: typeNames.get(type) ?? 'unknown', value: isSafe ? text : null };
}

/**
 * The statements as a script for psql: each is prepared and executed with its parameters, in a transaction that only
 * reads. If a parameter is left out, the EXECUTE is a comment to complete. Pure.
 */
export function formatScript(
  reference: string,
  statements: readonly ExplainingStatement[],
  format: (statement: string) => string,
): string {
  const heading = [
    `-- The statements that explain ${comment(reference)}, limited to this one record.`,
    '-- They read only. The definitions of keys and checks are those of a run.',
  ];
  const blocks = statements.map((statement, index) => block(index + 1, statement, format));
  return [heading.join('\n'), 'begin isolation level repeatable read read only;', ...blocks, 'commit;'].join(
    '\n\n',
  );
}

function block(
  number: number,
  { title, text, parameters }: ExplainingStatement,
  format: (statement: string) => string,
): string {
  const heading = `-- ${number}. ${title}`;
  if (parameters.length === 0) return `${heading}\n${format(text)};`;
  const name = `explain_${number}`;
  const types = parameters.map(({ type }) => type).join(', ');
  const isComplete = parameters.every(({ value }) => value !== null);
  const values = parameters.map(({ value }) => (value === null ? '<left out>' : `'${value}'`)).join(', ');
  return [
    heading,
    ...parameters.map(({ type, value }, index) => `--   $${index + 1} ${type}: ${value ?? 'left out'}`),
    `prepare ${name} (${types}) as`,
    `${format(text)};`,
    `${isComplete ? '' : '-- '}execute ${name} (${values});`,
    `deallocate ${name};`,
  ].join('\n');
}

/** A reference may be anything that was typed: on one line, without card numbers. */
function comment(text: string): string {
  return maskCardNumbers(text.replace(/\p{Cc}+/gu, ' '));
}
