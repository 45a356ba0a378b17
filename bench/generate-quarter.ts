import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { paymentLine, paymentsHeader, settlementHeader, settlementLine, writeLines } from './generate.js';

/** Number of settlement dates in a quarter; the last one is 2026-11-19. */
export const quarterDays = 90;

/** The date of a day of the quarter, day 0 being 2026-08-22. */
export function quarterDate(day: number): string {
  return new Date(Date.UTC(2026, 7, 22 + day)).toISOString().slice(0, 10);
}

/** One file with the records of 90 days in random order, and the payments that they name. */
export interface Quarter {
  readonly rows: number;
  readonly payments: number;
  readonly settlementFile: string;
  readonly paymentsFile: string;
}

/** Coprime to every round number, so that consecutive rows name payments that are far apart in the file of payments. */
const stride = 611_953;

/**
 * Generates a quarter of the given size once and keeps it below `cacheDirectory`. Every payment is settled a day
 * later; when there are more payments than rows, the rest are never settled.
 */
export async function generateQuarter(
  cacheDirectory: string,
  rows: number,
  payments: number,
): Promise<Quarter> {
  const quarter = {
    rows,
    payments,
    settlementFile: path.join(cacheDirectory, `quarter-${rows}-${payments}.csv`),
    paymentsFile: path.join(cacheDirectory, `quarter-payments-${payments}.csv`),
  };
  mkdirSync(cacheDirectory, { recursive: true });
  const dayOf = (n: number) => Math.imul(n + 1, 0x9e3779b1) >>> 0;
  const paidOn = (n: number) => quarterDate((dayOf(n) % quarterDays) - 1);
  const settledOn = (n: number) => quarterDate(dayOf(n) % quarterDays);
  if (!existsSync(quarter.paymentsFile)) {
    await writeLines(quarter.paymentsFile, paymentsHeader, payments, (n) => paymentLine(n, paidOn(n)));
  }
  if (!existsSync(quarter.settlementFile)) {
    await writeLines(quarter.settlementFile, settlementHeader, rows, (i) => {
      const n = (i * stride) % payments;
      return settlementLine(i, n, { date: settledOn(n), paidOn: paidOn(n) }).text;
    });
  }
  return quarter;
}
