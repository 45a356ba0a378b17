import type { OtherStep, Step } from '../campaigns/oracle/world.js';
import { dayAfter } from '../campaigns/oracle/world.js';

/** The steps that are one command line. */
export type CommandStep = Exclude<
  Step | OtherStep,
  { readonly kind: 'import' | 'deliver' | 'correct' | 'divide' | 'purge' }
>;

/** What a choice is made from. */
export interface Choices {
  readonly asOf: string;
  /** The ids of all payments that were imported. */
  readonly payments: readonly string[];
  /** What an installation says as a list. */
  list<T>(...args: readonly string[]): Promise<readonly T[]>;
}

/** What is read of `recon items --json`. */
interface Item {
  readonly discrepancyId: string;
  readonly code: string;
  readonly pending: boolean;
  readonly file: string | null;
  readonly paymentId: string | null;
}

/** The command line of a step; undefined if there is nothing that it could be about. */
export async function commandOf(step: CommandStep, choices: Choices): Promise<string[] | undefined> {
  switch (step.kind) {
    case 'run':
    case 'rerun':
      return [
        step.kind,
        ...(step.kind === 'run' ? [] : ['--from', step.from, '--to', step.to]),
        ...(step.failOn === undefined ? [] : ['--fail-on', step.failOn]),
        ...['--as-of', step.asOf],
      ];
    case 'withdraw':
    case 'restore':
      return ['files', step.kind, step.file, '--reason', 'wrong file'];
    case 'report': {
      const run = chosen(step.choice, await choices.list<{ readonly runId: number }>('runs'));
      return run && ['report', '--run', `${run.runId}`];
    }
    case 'book': {
      const payment = chosen(step.choice, choices.payments);
      return payment === undefined ? undefined : ['chargebacks', 'book', payment, '--amount', step.amount];
    }
    case 'reverse': {
      const chargebacks = await choices.list<{ readonly id: string }>('chargebacks', 'list');
      const chargeback = chosen(step.choice, chargebacks);
      return chargeback && ['chargebacks', 'reverse', chargeback.id, '--amount', step.amount];
    }
    case 'accept-all':
      return [
        ...['decide', '--code', step.code, '--status', 'OPEN', '--accept', '--reason', 'agreed'],
        ...['--as-of', choices.asOf],
      ];
    default:
      return decisionOf(step, choices);
  }
}

type DecisionStep = Extract<
  CommandStep,
  { readonly kind: 'accept' | 'wait' | 'link' | 'unlink' | 'supersede' | 'keep-both' | 'approve' | 'undo' }
>;

async function decisionOf(step: DecisionStep, choices: Choices): Promise<string[] | undefined> {
  const items = await choices.list<Item>('items', '--as-of', choices.asOf);
  const item = chosen(
    step.choice,
    items.filter((each) => isFor(step.kind, each)),
  );
  const decision = (...words: string[]) =>
    item && ['decide', item.discrepancyId, ...words, '--as-of', choices.asOf];
  switch (step.kind) {
    case 'accept':
      return decision('--accept', '--reason', 'agreed');
    case 'wait':
      return decision('--wait', dayAfter(choices.asOf, step.days));
    case 'link':
      return decision('--link', chosen(step.payment, choices.payments) ?? '');
    case 'approve':
      return decision('--approve', '--by', step.by);
    default:
      return decision(`--${step.kind}`);
  }
}

/** Whether a decision of this kind makes sense. */
function isFor(kind: DecisionStep['kind'], { code, pending, file, paymentId }: Item): boolean {
  switch (kind) {
    case 'supersede':
    case 'keep-both':
      return code === 'RECORD_REDELIVERED';
    case 'link':
      return ['NOT_MATCHED', 'MULTIPLE_MATCHES'].includes(code);
    case 'unlink':
      return file !== null && paymentId !== null;
    case 'approve':
      return pending;
    default:
      return true;
  }
}

/** One of a list for a number; undefined if the list is empty. */
export const chosen = <T>(choice: number, of: readonly T[]): T | undefined =>
  of[choice % Math.max(1, of.length)];
