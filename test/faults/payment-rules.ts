/*
 * The money rules of the payment core a second time, as the specification (operations 3.1) and the readings of
 * docs/payment-core.md state them, written without src/payment-core: do not copy a rule into it from there. It says
 * which result codes an operation may have, not which one comes first where several reasons apply.
 */

/** Types that the model makes. */
export type PaymentType = 'PA' | 'DB' | 'CD' | 'CP' | 'RV' | 'RF' | 'CB' | 'CR';

/** A stored payment. */
export interface Paid {
  readonly id: string;
  readonly entity: string;
  readonly type: PaymentType;
  /** Hundredths. */
  readonly amount: bigint;
  readonly currency: string;
  readonly state: 'approved' | 'open' | 'declined';
  /** Its result code. */
  readonly code: string;
  /** The id of the payment that it references; null for none. */
  readonly of: string | null;
  readonly isFinal: boolean;
  /** The most captures of a PA. */
  readonly captures: number;
  /** A PA that adds to the one that it references. */
  readonly isIncrement?: boolean;
}

/** A request that references a payment. */
export interface Referencing {
  readonly type: 'CP' | 'RV' | 'RF' | 'CB' | 'CR';
  readonly entity: string;
  readonly target: string;
  /** Hundredths; null for all that is left. */
  readonly amount: bigint | null;
  /** Null if it is not sent. */
  readonly currency: string | null;
}

/** What the rules say: the codes that may refuse it, or the payment that it references and its amount. */
export type Judged =
  { readonly codes: readonly string[] } | { readonly target: Paid; readonly amount: bigint };

const sum = (payments: readonly Paid[]) => payments.reduce((total, { amount }) => total + amount, 0n);

/** Those of a type that reference a payment and count: a declined one never does. */
function counting(all: readonly Paid[], target: Paid, type: PaymentType): readonly Paid[] {
  return all.filter((one) => one.of === target.id && one.type === type && one.state !== 'declined');
}

/** What is not reversed of the chargebacks of a payment. */
function chargedBack(all: readonly Paid[], target: Paid): bigint {
  return counting(all, target, 'CB').reduce(
    (total, one) => total + one.amount - sum(counting(all, one, 'CR')),
    0n,
  );
}

/** With what approved increments add; one that waits adds nothing yet. */
function authorised(all: readonly Paid[], target: Paid): bigint {
  return target.amount + sum(counting(all, target, 'PA').filter(({ state }) => state === 'approved'));
}

/** What a request may still take of a payment. */
export function leftFor(all: readonly Paid[], type: Referencing['type'], target: Paid): bigint {
  const taken = (other: PaymentType) => sum(counting(all, target, other));
  switch (type) {
    case 'CP':
    case 'RV':
      return authorised(all, target) - taken('CP') - taken('RV');
    case 'RF':
      return target.amount - taken('RF') - taken('RV');
    case 'CB':
      return target.amount - taken('RV');
    case 'CR':
      return target.amount - taken('CR');
  }
}

const exceeded = {
  CP: '700.400.100',
  RF: '700.400.200',
  RV: '700.400.300',
  CB: '700.100.300',
  CR: '700.400.411',
};
const types = { CP: ['PA'], RV: ['PA', 'DB', 'CD'], RF: ['DB', 'CD', 'CP'], CB: ['DB', 'CP'], CR: ['CB'] };
const wrongType = {
  CP: '700.400.510',
  RV: '700.400.530',
  RF: '700.400.520',
  CB: '700.400.550',
  CR: '700.400.420',
};

/** Judges a valid request. */
export function judge(all: readonly Paid[], request: Referencing): Judged {
  const target = all.find(({ id, entity }) => id === request.target && entity === request.entity);
  if (target === undefined)
    return { codes: ['700.400.580', ...(request.type === 'CR' ? ['700.400.420'] : [])] };
  const captured = counting(all, target, 'CP');
  if (request.type === 'RF' && target.type === 'PA' && captured.length > 0) {
    return judgeRefundOfCaptured(all, request, target);
  }
  return judgeOf(all, request, target);
}

/** The oldest capture with enough left is refunded. */
function judgeRefundOfCaptured(all: readonly Paid[], request: Referencing, target: Paid): Judged {
  const own = reasons(all, request, target).filter((code) => code === '700.100.500');
  if (own.length > 0) return { codes: own };
  const each = counting(all, target, 'CP').map((capture) => judgeOf(all, request, capture));
  return (
    each.find((one) => 'target' in one) ?? { codes: each.flatMap((one) => ('codes' in one ? one.codes : [])) }
  );
}

function judgeOf(all: readonly Paid[], request: Referencing, target: Paid): Judged {
  const codes = reasons(all, request, target);
  return codes.length > 0
    ? { codes }
    : { target, amount: request.amount ?? leftFor(all, request.type, target) };
}

/** Every code with which the request may be refused; none if it must succeed. */
function reasons(all: readonly Paid[], { type, amount, currency }: Referencing, target: Paid): string[] {
  const codes: string[] = [];
  if (target.isIncrement === true) codes.push('700.300.100');
  if (!types[type].includes(target.type)) codes.push(wrongType[type]);
  if (target.state === 'open') codes.push('700.400.570');
  if (target.state === 'declined') codes.push('700.300.200');
  if (currency !== null && currency !== target.currency) codes.push('700.100.500');
  if (isOver(all, type, target)) codes.push('700.300.300');
  const open = chargedBack(all, target);
  if (open > 0n && (type === 'RV' || type === 'RF')) codes.push('700.300.600');
  if (open > 0n && type === 'CB') codes.push('700.300.500');
  const left = leftFor(all, type, target);
  if (left <= 0n) codes.push(type === 'CR' ? '700.400.410' : '700.300.300');
  if (amount !== null && amount > left) codes.push(exceeded[type]);
  return codes;
}

/** Closed by FINAL, by the number of captures, or because it was refunded. */
function isOver(all: readonly Paid[], type: Referencing['type'], target: Paid): boolean {
  const captures = counting(all, target, 'CP');
  const isFinal = (other: PaymentType) => counting(all, target, other).some((one) => one.isFinal);
  switch (type) {
    case 'CP':
      return isFinal('CP') || captures.length >= target.captures;
    case 'RV':
      return isFinal('CP') || isFinal('RV') || counting(all, target, 'RF').length > 0;
    case 'RF':
      return isFinal('RF');
    case 'CB':
    case 'CR':
      return false;
  }
}

/** Every code with which a request to add to an authorisation may be refused; none if it must succeed. */
export function reasonsOfIncrement(
  all: readonly Paid[],
  { entity, target: id, amount, currency }: Omit<Referencing, 'type'> & { readonly amount: bigint },
): string[] {
  const target = all.find((one) => one.id === id && one.entity === entity);
  // An unknown referenceUuid is a violation of that parameter.
  if (target === undefined) return ['200.300.404'];
  const codes: string[] = [];
  if (target.type !== 'PA' || target.isIncrement === true) codes.push('700.100.700');
  if (target.state === 'open') codes.push('700.400.570');
  if (target.state === 'declined') codes.push('700.300.200');
  if (currency !== target.currency) codes.push('700.100.500');
  const isReversed = counting(all, target, 'RV').length > 0 && leftFor(all, 'RV', target) <= 0n;
  if (isReversed || isOver(all, 'CP', target)) codes.push('700.300.300');
  const added = sum(counting(all, target, 'PA')) + amount;
  if (target.amount + added > 999_999_999_999n) codes.push('100.550.301');
  return codes;
}

/** Hundredths with two decimals. */
export function decimal(hundredths: bigint): string {
  const text = hundredths.toString().padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}
