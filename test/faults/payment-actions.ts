import type { PaymentCore } from '../../src/payment-core/index.js';
import { decimal, judge, leftFor, reasonsOfIncrement, type Paid, type Referencing } from './payment-rules.js';
import type { Action, Answer, Model, Played, Step, Verdict } from './payment-world.js';

type Form = Readonly<Record<string, string>>;

/** Who sends it, and as what. */
interface Sender {
  readonly entity: string;
  readonly key: string | undefined;
  readonly caller: { readonly entityIds: readonly string[]; readonly idempotencyKey?: string };
}

const unknownId = 'f'.repeat(32);
const violation = /^200\.300\.404$/;
const refusedBy = (codes: readonly string[]): Verdict => ({
  codes: new RegExp(`^(?:${codes.join('|').replaceAll('.', '\\.')})$`),
});
const done = /^000\.[0-3]/;

/** Amounts that the field N10.N2 does not allow. */
const malformed = [
  '1.0',
  '-1.00',
  '1,00',
  '12345678901',
  '1e2',
  ' 1.00',
  '１.00',
  '.50',
  '1.000',
  '+1.00',
  '0x10',
];
/** What the simulator decides by the amount. */
const triggers: Readonly<Record<string, readonly [code: string, state: Paid['state']]>> = {
  '9000.51': ['800.100.155', 'declined'],
  '9000.80': ['000.200.000', 'open'],
  '9000.90': ['900.100.300', 'open'],
};
const usualAmounts = [
  '100.00',
  '100',
  '0.01',
  '30.00',
  '0000000001.00',
  '9999999999.99',
  '0.00',
  '9000.51',
  '9000.80',
  '9000.90',
  '50.05',
  '100.00',
];

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list.length === 0 ? undefined : list[index % list.length];
}

/** The action of a step; undefined if there is nothing that it could be done with. */
export function actionOf(step: Step, played: Played, card: Form): Action | undefined {
  const entity = pick(played.entities, step.by) ?? '';
  const key = step.key === undefined ? undefined : `key-${step.key}`;
  const caller = { entityIds: [entity], ...(key === undefined ? {} : { idempotencyKey: key }) };
  const sender = { entity, key, caller };
  const { model } = played;
  switch (step.what) {
    case 'create':
      return create(step, sender, card);
    case 'CP':
    case 'RV':
    case 'RF':
    case 'CB':
    case 'CR':
      return reference(step, step.what, sender, model);
    case 'rest':
      return reverseRest(step, sender, model);
    case 'complete':
      return complete(step, sender, model);
    case 'increment':
      return increment(step, sender, model);
    case 'register':
    case 'payRegistration':
    case 'deleteRegistration':
      return registration(step, sender, model, card);
    case 'checkout':
    case 'payCheckout':
      return checkout(step, sender, model, card);
    case 'schedule':
    case 'deleteJob':
      return job(step, sender, model);
    case 'time':
      return undefined;
  }
}

function amountOf({ amount, more }: Step): string {
  if (more % 11 === 0) return pick(malformed, amount) ?? '';
  return pick(usualAmounts, amount) ?? '';
}

const hundredths = (text: string) =>
  text.includes('.') ? BigInt(text.replace('.', '')) : BigInt(text) * 100n;

/** A payment that references nothing, as its answer says and the rules allow. */
function made(model: Model, { entity }: Sender, form: Form, answer: Answer): Model {
  const amount = form['amount'] ?? '';
  const [code, state] = triggers[amount] ?? ['000.100.110', 'approved' as const];
  const type = form['paymentType'] as Paid['type'];
  const captures = Number(form['numberOfCaptures'] ?? 98);
  const paid = {
    id: answer.id,
    entity,
    type,
    amount: hundredths(amount),
    currency: form['currency'] ?? '',
    state,
    code,
  };
  return { ...model, paid: [...model.paid, { ...paid, of: null, isFinal: false, captures }] };
}

/** What the rules say about a new payment. */
function judgeNew(model: Model, sender: Sender, form: Form): Verdict {
  const amount = form['amount'] ?? '';
  if (malformed.includes(amount) || form['currency'] === 'eur') return { codes: violation };
  if (hundredths(amount) === 0n && form['paymentType'] !== 'PA') return refusedBy(['100.550.300']);
  const [code] = triggers[amount] ?? ['000.100.110'];
  return { ...refusedBy([code]), stores: (answer) => made(model, sender, form, answer) };
}

function create(step: Step, sender: Sender, card: Form): Action {
  const paymentType = pick(['PA', 'PA', 'DB', 'DB', 'CD'], step.of) ?? 'PA';
  const form = {
    paymentType,
    amount: amountOf(step),
    currency: pick(['EUR', 'EUR', 'EUR', 'USD', 'eur'], step.more) ?? 'EUR',
    ...(paymentType === 'PA' && step.of % 3 === 0 ? { numberOfCaptures: String(1 + (step.more % 3)) } : {}),
    ...card,
  };
  return {
    ...sender,
    name: 'create',
    request: JSON.stringify(form),
    send: (core) => core.payments.create(form, sender.caller),
    judge: (model) => judgeNew(model, sender, form),
  };
}

/** Amounts around what is left. */
function amountFor(
  type: Referencing['type'],
  { amount, more }: Step,
  model: Model,
  target: Paid | undefined,
): string | null {
  if (more % 17 === 0) return pick(malformed, amount) ?? '';
  const left = target === undefined ? 100n : leftFor(model.paid, type, target);
  const half = left / 2n;
  const near = [
    left,
    left,
    half,
    half,
    half + 1n,
    left + 1n,
    1n,
    0n,
    3000n,
    999_999_999_999n,
    target?.amount ?? 1n,
  ];
  if ((type === 'CB' || type === 'CR') && more % 5 === 0) return null;
  const chosen = pick(near, amount) ?? 1n;
  return decimal(chosen < 0n ? 0n : chosen > 999_999_999_999n ? 999_999_999_999n : chosen);
}

/** Most references are of the own entity and of a type that fits. */
function targetOf(
  { of, more }: Step,
  types: readonly string[],
  { entity }: Sender,
  model: Model,
): Paid | undefined {
  if (more % 13 === 0) return pick(model.paid, of);
  return pick(
    model.paid.filter((one) => one.entity === entity && types.includes(one.type)),
    of,
  );
}

const fitting = {
  CP: ['PA'],
  RV: ['PA', 'DB', 'CD'],
  RF: ['DB', 'CD', 'CP', 'PA'],
  CB: ['DB', 'CP'],
  CR: ['CB'],
};

function reference(step: Step, type: Referencing['type'], sender: Sender, model: Model): Action {
  const found = targetOf(step, fitting[type], sender, model);
  const target = found?.id ?? unknownId;
  const amount = amountFor(type, step, model, found);
  const currency = step.more % 7 === 0 ? 'GBP' : (found?.currency ?? 'EUR');
  const isFinal = type.startsWith('R') || type === 'CP' ? step.of % 6 === 0 : false;
  const isBackOffice = type === 'CB' || type === 'CR';
  const byUuid = !isBackOffice && step.by % 4 > 1;
  const form = {
    ...(isBackOffice ? {} : { paymentType: type }),
    ...(amount === null ? {} : { amount, currency }),
    ...(isFinal && !isBackOffice ? { sequence: 'FINAL' } : {}),
  };
  return {
    ...sender,
    name: type,
    request: JSON.stringify([type, byUuid, target, form]),
    send: (core) => sendReference(core, { type, target, byUuid, form, caller: sender.caller }),
    judge: (now) => {
      if (amount !== null && malformed.includes(amount)) return { codes: violation };
      const request = {
        type,
        entity: sender.entity,
        target,
        amount: amount === null ? null : hundredths(amount),
        currency: amount === null ? null : currency,
      };
      return judgeReferencing(now, request, { isFinal: isFinal && !isBackOffice, byUuid });
    },
  };
}

function sendReference(
  core: PaymentCore,
  sent: { type: string; target: string; byUuid: boolean; form: Form; caller: Sender['caller'] },
): Promise<Answer> {
  const { type, target, byUuid, form, caller } = sent;
  if (type === 'CB') return core.chargebacks.book(target, form, caller);
  if (type === 'CR') return core.chargebacks.reverse(target, form, caller);
  if (byUuid) return core.payments.create({ ...form, referenceUuid: target }, caller);
  return core.payments.reference(target, form, caller);
}

function judgeReferencing(
  model: Model,
  request: Referencing,
  { isFinal, byUuid }: { readonly isFinal: boolean; readonly byUuid: boolean },
): Verdict {
  const judged = judge(model.paid, request);
  const zero = request.amount === 0n ? ['100.550.300'] : [];
  if ('codes' in judged || zero.length > 0) {
    const codes = [...('codes' in judged ? judged.codes : []), ...zero];
    return refusedBy(codes.flatMap((code) => (byUuid && code === '700.400.580' ? ['200.300.404'] : [code])));
  }
  const { target, amount } = judged;
  const trigger = triggers[decimal(amount)];
  const isBackOffice = request.type === 'CB' || request.type === 'CR';
  const state = isBackOffice || trigger === undefined ? 'approved' : trigger[1];
  const codes = isBackOffice || trigger === undefined ? done : new RegExp(`^${trigger[0]}$`);
  const paid = {
    entity: request.entity,
    type: request.type,
    amount,
    currency: target.currency,
    state,
    isFinal,
    of: target.id,
  } as const;
  return {
    codes,
    stores: ({ id, result }) => ({
      ...model,
      paid: [...model.paid, { ...paid, id, code: result.code, captures: 98 }],
    }),
  };
}

function reverseRest(step: Step, sender: Sender, model: Model): Action {
  const target = targetOf(step, fitting.RV, sender, model)?.id ?? unknownId;
  const form = { paymentType: 'RV' } as const;
  return {
    ...sender,
    name: 'rest',
    request: JSON.stringify(['rest', target]),
    send: (core) => core.payments.reverseRemaining(target, form, sender.caller),
    judge: (now) =>
      judgeReferencing(
        now,
        { type: 'RV', entity: sender.entity, target, amount: null, currency: null },
        { isFinal: false, byUuid: false },
      ),
  };
}

function complete(step: Step, sender: Sender, model: Model): Action {
  const open = model.paid.filter((one) => one.state === 'open' || step.more % 4 === 0);
  const target = pick(open, step.of)?.id ?? unknownId;
  const [resultCode, state] =
    step.amount % 3 === 0 ? (['800.100.155', 'declined'] as const) : (['000.000.000', 'approved'] as const);
  return {
    ...sender,
    key: undefined,
    name: 'complete',
    request: JSON.stringify([target, resultCode]),
    send: (core) => core.payments.complete(target, { resultCode }, { entityIds: [sender.entity] }),
    judge: (now) => {
      const found = now.paid.find(({ id, entity }) => id === target && entity === sender.entity);
      if (found === undefined) return refusedBy(['700.400.580']);
      if (found.state !== 'open') return refusedBy([found.code]);
      const paid = now.paid.map((one) => (one === found ? { ...one, state, code: resultCode } : one));
      return { ...refusedBy([resultCode]), stores: () => ({ ...now, paid }) };
    },
  };
}

/** Adds to an authorisation. */
function increment(step: Step, sender: Sender, model: Model): Action {
  const found = targetOf(step, ['PA'], sender, model);
  const target = found?.id ?? unknownId;
  const amount = amountOf(step);
  const form = {
    paymentType: 'PA',
    amount,
    currency: step.more % 7 === 0 ? 'GBP' : (found?.currency ?? 'EUR'),
    referenceUuid: target,
    'standingInstruction.mode': 'REPEATED',
    'standingInstruction.source': 'MIT',
    'standingInstruction.type': 'UNSCHEDULED',
    'standingInstruction.industryPractice': 'INCREMENTAL_AUTH',
  } as const;
  return {
    ...sender,
    name: 'increment',
    request: JSON.stringify(form),
    send: (core) => core.payments.create(form, sender.caller),
    judge: (now) => {
      if (malformed.includes(amount)) return { codes: violation };
      const request = { entity: sender.entity, target, amount: hundredths(amount), currency: form.currency };
      const reasons = reasonsOfIncrement(now.paid, request);
      if (reasons.length > 0) return refusedBy(reasons);
      const { codes } = judgeNew(now, sender, form);
      return {
        codes,
        stores: (answer) => {
          const after = made(now, sender, form, answer);
          const paid = after.paid.map((one) =>
            one.id === answer.id ? { ...one, of: target, isIncrement: true } : one,
          );
          return { ...after, paid };
        },
      };
    },
  };
}

/** The reason why a registration cannot be used. */
function unusable(model: Model, { entity }: Sender, id: string): Verdict | undefined {
  const found = model.registrations.find((one) => one.id === id && one.entity === entity);
  if (found === undefined) return refusedBy(['100.150.200']);
  return found.isDeleted ? refusedBy(['100.150.202']) : undefined;
}

function registration(step: Step, sender: Sender, model: Model, card: Form): Action {
  const id = pick(model.registrations, step.of)?.id ?? unknownId;
  const { caller, entity } = sender;
  if (step.what === 'register') {
    const stores = (now: Model) => (answer: Answer) => ({
      ...now,
      registrations: [...now.registrations, { id: answer.id, entity, isDeleted: false }],
    });
    const judgeIt = (now: Model): Verdict => ({ codes: done, stores: stores(now) });
    return {
      ...sender,
      name: 'register',
      request: 'register',
      send: (core) => core.registrations.create(card, caller),
      judge: judgeIt,
    };
  }
  if (step.what === 'deleteRegistration') {
    const judgeIt = (now: Model): Verdict =>
      unusable(now, sender, id) ?? {
        codes: done,
        stores: () => ({
          ...now,
          registrations: now.registrations.map((one) => (one.id === id ? { ...one, isDeleted: true } : one)),
        }),
      };
    return {
      ...sender,
      name: 'deleteRegistration',
      request: `delete ${id}`,
      send: (core) => core.registrations.delete(id, caller),
      judge: judgeIt,
    };
  }
  const form = {
    paymentType: pick(['PA', 'DB', 'CD'], step.more) ?? 'DB',
    amount: amountOf(step),
    currency: 'EUR',
  };
  return {
    ...sender,
    name: 'payRegistration',
    request: JSON.stringify([id, form]),
    send: (core) => core.registrations.pay(id, form, caller),
    judge: (now) => {
      const verdict = judgeNew(now, sender, form);
      if (verdict.codes === violation) return verdict;
      const reason = unusable(now, sender, id);
      if (reason === undefined) return verdict;
      return verdict.stores === undefined
        ? { codes: new RegExp(`${verdict.codes.source}|${reason.codes.source}`) }
        : reason;
    },
  };
}

function checkout(step: Step, sender: Sender, model: Model, card: Form): Action {
  const { entity, caller } = sender;
  if (step.what === 'checkout') {
    const form = {
      paymentType: 'DB',
      amount: step.more % 4 === 0 ? '9000.51' : '42.00',
      currency: 'EUR',
    } as const;
    return {
      ...sender,
      name: 'checkout',
      request: JSON.stringify(form),
      send: (core) => core.checkouts.create(form, caller),
      judge: (now, moment) => ({
        codes: /^000\.200\.100$/,
        stores: ({ id }) => {
          const one = { id, entity, expiresAt: moment + 30 * 60_000, amount: form.amount, paidBy: null };
          return { ...now, checkouts: [...now.checkouts, one] };
        },
      }),
    };
  }
  const id = pick(model.checkouts, step.of)?.id ?? unknownId;
  return {
    ...sender,
    name: 'payCheckout',
    request: `pay ${id}`,
    send: (core) => core.checkouts.pay(id, card, undefined, caller),
    judge: (now, moment) => {
      const found = now.checkouts.find((one) => one.id === id && one.entity === entity);
      if (found !== undefined && found.paidBy !== null) return refusedBy(['800.110.100']);
      if (found === undefined || found.expiresAt <= moment) return refusedBy(['200.300.406']);
      const form = { paymentType: 'DB', amount: found.amount, currency: 'EUR' };
      const { codes } = judgeNew(now, sender, form);
      return {
        codes,
        stores: (answer) => {
          const paidBy = triggers[found.amount] === undefined ? answer.id : null;
          const checkouts = now.checkouts.map((one) => (one.id === id ? { ...one, paidBy } : one));
          return { ...made(now, sender, form, answer), checkouts };
        },
      };
    },
  };
}

const day = 24 * 3_600_000;

function job(step: Step, sender: Sender, model: Model): Action {
  const { entity, caller } = sender;
  if (step.what === 'deleteJob') {
    const id = pick(model.jobs, step.of)?.id ?? unknownId;
    return {
      ...sender,
      name: 'deleteJob',
      request: `end ${id}`,
      send: (core) => core.jobs.delete(id, caller),
      judge: (now) => {
        const found = now.jobs.find((one) => one.id === id && one.entity === entity);
        if (found === undefined) return refusedBy(['200.300.406']);
        if (found.next === null) return refusedBy(['100.360.303']);
        const jobs = now.jobs.map((one) => (one.id === id ? { ...one, next: null } : one));
        return { codes: done, stores: () => ({ ...now, jobs }) };
      },
    };
  }
  const registrationId = pick(model.registrations, step.of)?.id ?? unknownId;
  const policy = pick(['all', 'latest', 'none'], step.more) ?? 'all';
  const form = {
    amount: '9.99',
    currency: 'EUR',
    'job.expression': '0 0 6 * * ? *',
    'job.misfirePolicy': policy,
  } as const;
  return {
    ...sender,
    name: 'schedule',
    request: JSON.stringify([registrationId, form]),
    send: (core) => core.jobs.create(registrationId, form, caller),
    judge: (now, moment) =>
      unusable(now, sender, registrationId) ?? {
        codes: done,
        stores: ({ id }) => {
          const six = Math.floor(moment / day) * day + 6 * 3_600_000;
          const one = {
            id,
            entity,
            registration: registrationId,
            policy,
            next: six >= moment ? six : six + day,
          };
          return { ...now, jobs: [...now.jobs, one] };
        },
      },
  };
}
