import type { Row } from '../campaigns/oracle/read-report.js';

/** What the steps of a world choose from: what one installation says at that moment. */
export interface Choices {
  readonly asOf: string;
  /** The ids of all payments that were imported. */
  readonly payments: readonly string[];
  /** The places of all records that were delivered, whether they are stored or not: `FILE:LINE`. */
  readonly records: readonly string[];
  /** What a command says as a list. */
  list<T>(...args: readonly string[]): Promise<readonly T[]>;
  /** The rows of a table that a command prints, separated by semicolons. */
  table(...args: readonly string[]): Promise<readonly Row[]>;
}

/** What is read of `recon items --json`. */
export interface ChosenItem {
  readonly discrepancyId: string;
  readonly code: string;
  readonly severity: string;
  readonly status: string;
  readonly currency: string | null;
  readonly amount: string | null;
  readonly merchantAccountId: string | null;
  readonly settlementTxId: string | null;
  readonly pending: boolean;
  readonly decision: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly paymentId: string | null;
  readonly assignee: string | null;
}

/** What is read of `recon files --json`. */
export interface ChosenFile {
  readonly name: string;
  readonly sha256: string;
  readonly status: string;
}

/** One of a list for a number; undefined if the list is empty. */
export const chosen = <T>(choice: number, of: readonly T[]): T | undefined =>
  of[choice % Math.max(1, of.length)];

/** One of those that a step can be done with; for each fifth number one of all, which is mostly refused. */
export const mostlyFitting = <T>(
  choice: number,
  all: readonly T[],
  fits: (one: T) => boolean,
): T | undefined => chosen(Math.floor(choice / 5), choice % 5 === 0 ? all : all.filter(fits));

/** All items, whatever their status. */
export const itemsOf = (choices: Choices): Promise<readonly ChosenItem[]> =>
  Promise.all(
    ['OPEN', 'WAITING', 'ACCEPTED', 'LAPSED'].map((status) =>
      choices.list<ChosenItem>('items', '--status', status, '--as-of', choices.asOf),
    ),
  ).then((lists) => [...new Map(lists.flat().map((item) => [item.discrepancyId, item])).values()]);

/** The payments of which a chargeback could be booked, if none is open. */
export async function chargeablePayments(choices: Choices): Promise<ReadonlySet<string>> {
  const chargebacks = await choices.list<Chargeback>('chargebacks', 'list');
  const payments = await choices.table('payments', 'export');
  const open = new Set(chargebacks.filter(isOpen).map(({ paymentId }) => paymentId));
  return new Set(
    payments
      .filter(
        ({ PaymentType = '', ResultCode }) =>
          ['DB', 'CP'].includes(PaymentType) && ResultCode === '000.000.000',
      )
      .map(({ PaymentId = '' }) => PaymentId)
      .filter((id) => !open.has(id)),
  );
}

/** What is read of `recon chargebacks list --json`. */
export interface Chargeback {
  readonly id: string;
  readonly paymentId: string;
  readonly status: string;
  readonly amount: string;
  readonly reversedAmount: string;
}

/** Whether something of a chargeback can be reversed. */
export const isOpen = ({ amount, reversedAmount }: Chargeback): boolean => amount !== reversedAmount;
