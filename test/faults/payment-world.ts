import type { PaymentCore } from '../../src/payment-core/index.js';
import { actionOf } from './payment-actions.js';
import { decimal, type Paid } from './payment-rules.js';

/** What a step does; the numbers choose entity, subject, amount and variant. */
export interface Step {
  readonly what:
    | 'create'
    | 'CP'
    | 'RV'
    | 'RF'
    | 'CB'
    | 'CR'
    | 'rest'
    | 'complete'
    | 'increment'
    | 'register'
    | 'payRegistration'
    | 'deleteRegistration'
    | 'checkout'
    | 'payCheckout'
    | 'schedule'
    | 'deleteJob'
    | 'time';
  readonly by: number;
  readonly of: number;
  readonly amount: number;
  readonly more: number;
  /** Which idempotency key it has. */
  readonly key: number | undefined;
}

export interface Answer {
  readonly id: string;
  readonly result: { readonly code: string; readonly description?: string };
  readonly amount?: string;
}

export interface Job {
  readonly id: string;
  readonly entity: string;
  readonly registration: string;
  readonly policy: string;
  /** Null when it ended. */
  readonly next: number | null;
}

/** What must be stored. */
export interface Model {
  readonly paid: readonly Paid[];
  readonly registrations: readonly {
    readonly id: string;
    readonly entity: string;
    readonly isDeleted: boolean;
  }[];
  readonly checkouts: readonly {
    readonly id: string;
    readonly entity: string;
    readonly expiresAt: number;
    readonly amount: string;
    readonly paidBy: string | null;
  }[];
  readonly jobs: readonly Job[];
  readonly keys: Readonly<
    Record<string, { readonly request: string; readonly answer: Answer; readonly at: number }>
  >;
}

/** What the rules say about an action: its codes, and what is stored then. */
export interface Verdict {
  readonly codes: RegExp;
  /** The id that the answer must have. */
  readonly id?: string;
  readonly stores?: (answer: Answer) => Model;
}

export interface Action {
  readonly name: string;
  readonly entity: string;
  /** Undefined for an operation that has no idempotency key. */
  readonly key: string | undefined;
  readonly request: string;
  readonly send: (core: PaymentCore) => Promise<Answer>;
  readonly judge: (model: Model, now: number) => Verdict;
}

export interface Surroundings {
  readonly cores: readonly PaymentCore[];
  readonly card: Readonly<Record<string, string>>;
  readonly time: { readonly read: () => number; readonly advance: (milliseconds: number) => void };
}

const hour = 3_600_000;
const day = 24 * hour;

export interface Played {
  readonly entities: readonly string[];
  model: Model;
}

/** Plays the steps; returns in words what differs from the rules. */
export async function playWorld(
  steps: readonly (readonly [Step, Step | undefined])[],
  surroundings: Surroundings,
): Promise<readonly string[]> {
  const seed = Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
  const played: Played = {
    entities: ['a', 'b'].map((name) => (seed + name.repeat(32)).slice(0, 32)),
    model: { paid: [], registrations: [], checkouts: [], jobs: [], keys: {} },
  };
  for (const [first, second] of steps) {
    const found =
      first.what === 'time'
        ? await letTimePass(first, played, surroundings)
        : await sendTogether([first, ...(second === undefined ? [] : [second])], played, surroundings);
    if (found.length > 0) return found;
  }
  return compareStored(played, surroundings);
}

/** Sends one or two actions at the same moment; one of their orders must explain the answers. */
async function sendTogether(
  steps: readonly Step[],
  played: Played,
  { cores, card, time }: Surroundings,
): Promise<readonly string[]> {
  const [core] = cores;
  if (core === undefined) throw new Error('no core');
  const actions = steps.flatMap((step) => actionOf(step, played, card) ?? []);
  const answers = await Promise.all(
    actions.map((action, index) => action.send(cores[index % cores.length] ?? core)),
  );
  const order = actions.map((action, index) => ({ action, answer: answers[index] }));
  const orders = [order, order.toReversed()];
  for (const one of orders) {
    const after = explain(played.model, one, time.read());
    if (after === undefined) continue;
    played.model = after;
    return [];
  }
  return order.map(({ action, answer }) => {
    const { codes, id } = judgeKeyed(played.model, action, time.read());
    return `${action.name} ${action.request} key ${action.key ?? '-'}: ${JSON.stringify(answer?.result)} instead of ${String(codes)} ${id ?? ''}`;
  });
}

type Sent = { readonly action: Action; readonly answer: Answer | undefined };

/** The model after these actions in this order; undefined if an answer contradicts the rules. */
function explain(model: Model, sent: readonly Sent[], now: number): Model | undefined {
  let after = model;
  for (const { action, answer } of sent) {
    if (answer === undefined) return undefined;
    // Something is changed or sent at this moment; the request can be sent again.
    if (sent.length > 1 && answer.result.code === '800.700.100') continue;
    const { codes, id, stores } = judgeKeyed(after, action, now);
    if (!codes.test(answer.result.code) || (id !== undefined && id !== answer.id)) return undefined;
    if (stores === undefined) continue;
    after = stores(answer);
    if (action.key === undefined) continue;
    const use = { request: action.request, answer, at: now };
    after = { ...after, keys: { ...after.keys, [`${action.entity} ${action.key}`]: use } };
  }
  return after;
}

function judgeKeyed(model: Model, action: Action, now: number): Verdict {
  const use = action.key === undefined ? undefined : model.keys[`${action.entity} ${action.key}`];
  if (use === undefined || use.at <= now - day) return action.judge(model, now);
  if (use.request !== action.request) return { codes: /^200\.300\.404$/ };
  return { codes: new RegExp(`^${use.answer.result.code}$`), id: use.answer.id };
}

/** Moves the clock, and makes what is due then in two processes at once. */
async function letTimePass(
  { amount, more }: Step,
  played: Played,
  { cores, time }: Surroundings,
): Promise<readonly string[]> {
  time.advance((amount % 60) * hour + (more % 3) * 60_000);
  const now = time.read();
  const runs = (await Promise.all(cores.map((core) => core.jobs.runDue()))).flat();
  const expected: string[] = [];
  const jobs = played.model.jobs.map((job) => {
    const due: number[] = [];
    let next = job.next;
    for (; next !== null && next <= now; next += day) due.push(next);
    const fires =
      job.policy === 'all'
        ? due
        : due.slice(-1).filter((at) => job.policy === 'latest' || at >= now - 90_000);
    const isGone = played.model.registrations.some(
      ({ id, isDeleted }) => id === job.registration && isDeleted,
    );
    const made = isGone ? fires.slice(0, 1) : fires;
    for (const at of made)
      expected.push(
        `${job.id} ${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}+0000 ${isGone ? '100.150.202' : '000.100.110'}`,
      );
    return { ...job, next: isGone && made.length > 0 ? null : next };
  });
  const made = runs.map(({ jobId, firedAt, resultCode }) => `${jobId} ${firedAt} ${resultCode}`);
  if (made.sort().join() !== expected.sort().join())
    return [`made ${made.join()} instead of ${expected.join()}`];
  const paid = runs.flatMap(({ jobId, paymentId, resultCode }): Paid[] => {
    const entity = jobs.find(({ id }) => id === jobId)?.entity ?? '';
    if (paymentId === undefined) return [];
    const one = { type: 'DB', amount: 999n, currency: 'EUR', state: 'approved', of: null } as const;
    return [{ ...one, id: paymentId, entity, code: resultCode, isFinal: false, captures: 98 }];
  });
  played.model = { ...played.model, jobs, paid: [...played.model.paid, ...paid] };
  return [];
}

/** Reads everything back, as each entity. */
async function compareStored(
  { entities, model }: Played,
  { cores: [core] }: Surroundings,
): Promise<string[]> {
  if (core === undefined) throw new Error('no core');
  const found: string[] = [];
  for (const entity of entities) {
    const caller = { entityIds: [entity] };
    const own = model.paid.filter((one) => one.entity === entity);
    const page = await core.query({ limit: '500' }, {}, caller);
    const listed = (page.payments ?? []).map(({ id }) => id).sort();
    const expected = own.map(({ id }) => id).sort();
    if (listed.join() !== expected.join())
      found.push(`${entity} lists ${listed.join()} instead of ${expected.join()}`);
    for (const one of model.paid) {
      const { result, paymentType, amount } = await core.payments.get(one.id, caller);
      const text =
        one.entity === entity ? `${one.code} ${one.type} ${decimal(one.amount)}` : '700.400.580 - -';
      const read = `${result.code} ${paymentType ?? '-'} ${amount ?? '-'}`;
      if (read !== text) found.push(`${one.id} reads ${read} instead of ${text}`);
    }
  }
  return found;
}
