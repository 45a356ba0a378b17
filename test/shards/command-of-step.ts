import type { OtherStep, Step } from '../campaigns/oracle/world.js';
import { dayAfter, firstDay } from '../campaigns/oracle/world.js';
import {
  chargeablePayments,
  chosen,
  isOpen,
  itemsOf,
  mostlyFitting,
  type Chargeback,
  type ChosenFile,
  type ChosenItem,
  type Choices,
} from './choices.js';
import { questionOf } from './questions.js';

/** The steps that are one command line. */
export type CommandStep = Exclude<
  Step | OtherStep,
  { readonly kind: 'import' | 'deliver' | 'correct' | 'divide' | 'purge' | 'sheet' | 'change' }
>;

/** The command line of a step; undefined if there is nothing that it could be about. */
export async function commandOf(step: CommandStep, choices: Choices): Promise<readonly string[] | undefined> {
  switch (step.kind) {
    case 'run':
    case 'rerun':
      return [
        step.kind,
        ...(step.kind === 'run' ? [] : ['--from', step.from, '--to', step.to]),
        ...(step.failOn === undefined ? [] : ['--fail-on', step.failOn]),
        ...['--as-of', step.asOf],
        '--json',
      ];
    case 'rerun-fetch':
      return ['rerun', '--from', step.from, '--to', step.to, '--fetch', '--as-of', choices.asOf, '--json'];
    case 'dry-run':
      return [...dryRuns[step.of](choices.asOf), '--dry-run', '--json'];
    case 'withdraw':
    case 'restore':
      return ['files', step.kind, step.file, '--reason', 'wrong file', '--json'];
    case 'withdraw-one':
    case 'restore-one':
      return withdrawalOf(step, choices);
    case 'report':
    case 'report-days':
      return reportOf(step, choices);
    case 'book':
    case 'reverse':
      return bookingOf(step, choices);
    case 'ask':
      return questionOf(step.question)(step.choice, choices);
    case 'accept-all':
      return [
        ...['decide', '--code', step.code, '--status', 'OPEN', '--accept', '--reason', 'agreed'],
        ...['--as-of', choices.asOf, '--json'],
      ];
    default:
      return decisionOf(step, choices);
  }
}

const dryRuns: Readonly<
  Record<Extract<CommandStep, { readonly kind: 'dry-run' }>['of'], (asOf: string) => readonly string[]>
> = {
  run: (asOf) => ['run', '--as-of', asOf],
  rerun: (asOf) => ['rerun', '--from', firstDay, '--to', asOf, '--as-of', asOf],
  decide: (asOf) => ['decide', '--status', 'OPEN', '--accept', '--reason', 'agreed', '--as-of', asOf],
  purge: () => ['purge', '--as-of', '2036-01-01'],
};

async function withdrawalOf(
  { kind, choice }: Extract<CommandStep, { readonly kind: 'withdraw-one' | 'restore-one' }>,
  choices: Choices,
): Promise<readonly string[] | undefined> {
  const wanted = kind === 'withdraw-one' ? 'loaded' : 'withdrawn';
  const files = await choices.list<ChosenFile>('files');
  const file = mostlyFitting(choice, files, ({ status }) => status === wanted);
  return file && ['files', kind.replace('-one', ''), file.sha256, '--reason', 'wrong file', '--json'];
}

async function reportOf(
  step: Extract<CommandStep, { readonly kind: 'report' | 'report-days' }>,
  choices: Choices,
): Promise<readonly string[] | undefined> {
  if (step.kind === 'report-days') return ['report', '--from', step.from, '--to', step.to, '--json'];
  const run = chosen(step.choice, await choices.list<{ readonly runId: number }>('runs'));
  return run && ['report', '--run', `${run.runId}`, '--json'];
}

async function bookingOf(
  { kind, choice, amount }: Extract<CommandStep, { readonly kind: 'book' | 'reverse' }>,
  choices: Choices,
): Promise<readonly string[] | undefined> {
  const rest = [...(amount === undefined ? [] : ['--amount', amount]), '--json'];
  if (kind === 'book') {
    const fitting = await chargeablePayments(choices);
    const payment = mostlyFitting(choice, choices.payments, (id) => fitting.has(id));
    return payment === undefined ? undefined : ['chargebacks', 'book', payment, ...rest];
  }
  const chargebacks = await choices.list<Chargeback>('chargebacks', 'list');
  const chargeback = mostlyFitting(choice, chargebacks, isOpen);
  return chargeback && ['chargebacks', 'reverse', chargeback.id, ...rest];
}

type DecisionStep = Exclude<Extract<CommandStep, { readonly choice: number }>, { readonly kind: OtherKind }>;
type OtherKind = 'withdraw-one' | 'restore-one' | 'report' | 'book' | 'reverse' | 'ask';

async function decisionOf(step: DecisionStep, choices: Choices): Promise<readonly string[] | undefined> {
  const item = mostlyFitting(step.choice, await itemsOf(choices), (each) => isFor(step.kind, each));
  return item && ['decide', item.discrepancyId, ...wordsOf(step, choices), '--as-of', choices.asOf, '--json'];
}

function wordsOf(step: DecisionStep, { asOf, payments }: Choices): readonly string[] {
  switch (step.kind) {
    case 'accept':
      return ['--accept', '--reason', 'agreed'];
    case 'wait':
      return ['--wait', dayAfter(asOf, step.days)];
    case 'link':
      return ['--link', chosen(step.payment, payments) ?? ''];
    case 'approve':
      return ['--approve', '--by', step.by];
    case 'assign':
      return ['--assign', ['anna', 'ben', ''][step.choice % 3] ?? ''];
    case 'note':
      return ['--note', `asked ${step.choice}`];
    default:
      return [`--${step.kind}`];
  }
}

/** Whether a decision of this kind makes sense. */
function isFor(
  kind: DecisionStep['kind'],
  { code, pending, file, paymentId, status, decision }: ChosenItem,
): boolean {
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
    case 'undo':
      return decision !== null;
    case 'accept':
    case 'wait':
      return status === 'OPEN' || status === 'LAPSED';
    default:
      return true;
  }
}
