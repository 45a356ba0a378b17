import { amountText, hex, scatterWith, two } from '../scatter.js';

/**
 * A normal night; one in which a sender made systematic mistakes and a third of the payments were never settled; or a
 * normal night of a sender who fills no UniqueID, so that each payment is found by its ShortId or its ConnectorTxIds.
 */
export type Weather = 'night' | 'flood' | 'short-ids';

export interface UnkindSetting {
  readonly seed: number;
  readonly weather: Weather;
}

/** One stored payment. Empty text stands for no value. */
export interface UnkindPayment {
  readonly id: string;
  readonly shortId: string;
  readonly type: 'PA' | 'DB' | 'CP' | 'RF' | 'RV';
  readonly brand: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly resultCode: string;
  readonly entity: string;
  readonly connectorTxId1: string;
  readonly connectorTxId2: string;
  readonly last4: string;
  /** `yyyy-MM-dd HH:mm:ss`, UTC. */
  readonly requestedAt: string;
  readonly referenced: string;
}

/** Payments come in blocks of 200. The first two of a block share a short id: the source of ambiguity. */
const blockSize = 200;

/** The places of a block that a settlement may name: not the pair, not the preauthorisations, not the reversal. */
const settledPlaces = Array.from({ length: blockSize }, (_, place) => place).filter(
  (place) => place >= 2 && place % 20 !== 3 && place !== 50,
);

/** How many of these payments a settlement may name. */
export function settledCount(payments: number): number {
  return Math.floor(payments / blockSize) * settledPlaces.length;
}

/** The number of the `k`-th payment that a settlement may name. */
export function settledPayment(k: number): number {
  const block = Math.floor(k / settledPlaces.length);
  return block * blockSize + (settledPlaces[k % settledPlaces.length] ?? 2);
}

/** The first payment of the pair that shares a short id, in the block of payment `n`. */
export const pairOf = (n: number) => n - (n % blockSize);

function typeOf(n: number): UnkindPayment['type'] {
  if (n % 2000 === 50) return 'RV';
  const place = n % 20;
  return place === 3 ? 'PA' : place === 4 ? 'CP' : place === 6 ? 'RF' : 'DB';
}

const brands = ['VISA', 'MASTER', 'AMEX', 'MAESTRO'];
const foreignCurrencies = ['USD', 'GBP', 'SEK', 'CHF', 'PLN'];
const successes = ['000.000.000', '000.100.110', '000.300.000', '000.400.000'];

/** Payment `n` of any number. */
export function unkindPayments({ seed, weather }: UnkindSetting): (n: number) => UnkindPayment {
  const scatter = scatterWith(seed);
  const pick = (from: readonly string[], value: number) => from[scatter(value) % from.length] ?? '';
  const idOf = (n: number) => `8ac7a4a0${hex(scatter(n), 8)}${hex(n, 16)}`;
  const resultOf = (n: number) => {
    // Of every third pair, the second payment is pending, so that the two can be distinguished.
    if (n % blockSize < 2) return n % 600 === 201 ? '000.200.000' : '000.000.000';
    const draw = scatter(n + 11) % 1000;
    return draw < 10 ? '000.200.000' : draw < 20 ? '800.100.151' : pick(successes, n + 12);
  };
  const requestedAt = (n: number) => {
    const draw = scatter(n + 13) % 1200;
    // From 2026-11-15 back, a payment is due: a few of a night, a third of a flood.
    const isDue = weather === 'flood' ? draw < 400 : draw < 3;
    const day = isDue ? 7 : 16 + (draw % 3);
    return `2026-11-${two(day)} ${two(scatter(n + 6) % 24)}:${two(scatter(n + 8) % 60)}:${two(n % 60)}`;
  };
  return (n) => {
    const type = typeOf(n);
    const isSecond = n % blockSize === 1;
    // A capture, a refund or a reversal is about the payment before it.
    const references = type === 'CP' || type === 'RF' || type === 'RV';
    const base = references || isSecond ? n - 1 : n;
    const sold = scatter(base + 1);
    const shortDigits = isSecond ? n - 1 : n;
    const short = `${two(scatter(shortDigits + 9) % 100)}${shortDigits.toString().padStart(10, '0')}`;
    return {
      id: idOf(n),
      shortId: `${short.slice(0, 4)}.${short.slice(4, 8)}.${short.slice(8)}`,
      type,
      brand: pick(brands, base + 4),
      amountMinor: 500 + (sold % 100 === 0 ? sold % 1_000_000 : sold % 40_000) + (n % 600 === 401 ? 100 : 0),
      currency: scatter(base + 2) % 2 === 0 ? 'EUR' : pick(foreignCurrencies, base + 10),
      resultCode: resultOf(n),
      // Half of all sales are made by three shops of forty.
      entity: `8a8294174b7ecb28014b9699${hex(scatter(base) % (scatter(base + 14) % 2 === 0 ? 3 : 40), 8)}`,
      connectorTxId1: `ACQ-2026-${hex(scatter(n + 7), 8)}-${n}`,
      connectorTxId2: scatter(n + 15) % 10 < 6 ? `74${scatter(n + 16)}${n.toString().padStart(10, '0')}` : '',
      last4: (scatter(base + 3) % 10_000).toString().padStart(4, '0'),
      requestedAt: requestedAt(n),
      referenced: references ? idOf(n - 1) : '',
    };
  };
}

/** The line of a payments file. */
export function paymentText(n: number, payment: UnkindPayment): string {
  const invoice = n % 3 === 0 ? `INV-2026-${n.toString().padStart(9, '0')}` : '';
  return `${payment.id};${payment.shortId};${payment.type};${payment.brand};${amountText(payment.amountMinor)};${payment.currency};${payment.resultCode};order-${n.toString().padStart(9, '0')};${invoice};${payment.entity};${payment.connectorTxId1};${payment.connectorTxId2};;${payment.last4};${payment.requestedAt}+0000;${payment.referenced}\n`;
}
