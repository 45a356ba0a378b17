import { chosen, itemsOf, type ChosenFile, type ChosenItem, type Choices } from './choices.js';

/** The arguments of a command that changes nothing; undefined if there is nothing that it could be about. */
type Question = (choice: number, choices: Choices) => Promise<readonly string[] | undefined>;

/** Asks about one of all items. */
const aboutItem =
  (ask: (item: ChosenItem, asOf: string) => readonly (string | null)[]): Question =>
  async (choice, choices) => {
    const item = chosen(choice, await itemsOf(choices));
    const words = item && ask(item, choices.asOf);
    return words?.every((word) => word !== null) ? words : undefined;
  };

const aboutRun =
  (ask: (run: number, before: number) => readonly string[]): Question =>
  async (choice, choices) => {
    const runs = (await choices.list<{ readonly runId: number }>('runs')).map(({ runId }) => runId);
    const [run, before] = [chosen(choice, runs), chosen(Math.floor(choice / 7), runs)];
    return run === undefined || before === undefined ? undefined : ask(run, before);
  };

const aboutFile =
  (ask: (file: ChosenFile, other: ChosenFile) => readonly string[]): Question =>
  async (choice, choices) => {
    const files = await choices.list<ChosenFile>('files');
    const [file, other] = [chosen(choice, files), chosen(Math.floor(choice / 7), files)];
    return file === undefined || other === undefined ? undefined : ask(file, other);
  };

const aboutPayment =
  (...words: readonly string[]): Question =>
  (choice, { payments }) => {
    const payment = chosen(choice, payments);
    return Promise.resolve(payment === undefined ? undefined : [...words, payment, '--json']);
  };

const statuses = ['OPEN', 'WAITING', 'ACCEPTED', 'RESOLVED', 'LAPSED'];

/** Groups of the audit log. A division has an event too, and a purge notes bytes, which depend on the moment. */
const audited = ['run', 'configuration', 'decision', 'row', 'file', 'payments', 'chargeback'];

const questions: readonly Question[] = [
  aboutItem(({ discrepancyId }, asOf) => ['explain', discrepancyId.slice(0, 12), '--as-of', asOf]),
  aboutItem(({ settlementTxId }, asOf) => ['explain', settlementTxId, '--as-of', asOf, '--json']),
  aboutItem(({ code }, asOf) => ['items', '--code', code, '--as-of', asOf, '--json']),
  aboutItem(({ severity }, asOf) => ['items', '--severity', severity, '--as-of', asOf, '--json']),
  aboutItem(({ paymentId }, asOf) => ['items', '--text', paymentId, '--as-of', asOf, '--json']),
  aboutItem(({ amount }, asOf) => ['items', '--text', amount, '--as-of', asOf, '--json']),
  aboutItem(({ merchantAccountId }, asOf) => ['items', '--account', merchantAccountId, '--as-of', asOf]),
  aboutItem(({ currency }, asOf) => ['items', '--currency', currency, '--as-of', asOf, '--csv']),
  aboutItem(({ assignee }, asOf) => ['items', '--assignee', assignee, '--as-of', asOf, '--json']),
  aboutItem((_item, asOf) => ['items', '--patterns', '--as-of', asOf, '--json']),
  aboutItem(({ code }) => ['discrepancies', '--code', code, '--all', '--json']),
  aboutItem(({ severity }) => ['discrepancies', '--severity', severity, '--limit', '3', '--json']),
  (choice, { asOf }) =>
    Promise.resolve(['items', '--status', chosen(choice, statuses) ?? '', '--as-of', asOf, '--json']),
  (choice, { asOf }) => Promise.resolve(['items', '--as-of', asOf, '--limit', `${choice % 5}`, '--json']),
  (choice, { asOf, records }) => {
    const record = chosen(choice, records);
    return Promise.resolve(record === undefined ? undefined : ['explain', record, '--as-of', asOf]);
  },
  aboutRun((run, before) => ['diff', `run:${before}`, `run:${run}`, '--csv']),
  aboutRun((run) => ['discrepancies', '--run', `${run}`, '--all', '--json']),
  aboutRun((run) => ['files', '--run', `${run}`, '--json']),
  aboutFile((file, other) => ['diff', file.sha256.slice(0, 12), other.sha256.slice(0, 12), '--csv']),
  aboutFile((file) => ['archive', 'read', file.sha256]),
  aboutFile((file) => ['files', '--status', file.status, '--json']),
  aboutPayment('chargebacks', 'list', '--payment'),
  aboutPayment('payments', 'changes', '--payment'),
  () => Promise.resolve(['discrepancies', '--open', '--from', '2026-11-08', '--to', '2026-11-11', '--json']),
  () => Promise.resolve(['sources', '--json']),
  () => Promise.resolve(['audit', 'verify']),
  (choice) => Promise.resolve(['audit', 'list', '--action', chosen(choice, audited) ?? '', '--json']),
];

export const questionCount = questions.length;

export const questionOf: (question: number) => Question = (question) => {
  const asked = questions[question];
  if (asked === undefined) throw new Error(`there is no question ${question}`);
  return asked;
};
