/**
 * ISO 4217 as of November 2026 (changes up to the euro's introduction in Bulgaria on 2026-01-01 and the Caribbean
 * guilder XCG of 2025-03-31). This is a separate table because `Intl` differs from ISO in the minor units of some
 * thirty currencies, and the packages are out of date.
 *
 * The minor units do not affect amounts in a settlement file, which have two decimals in every currency.
 */

export interface CurrencyEntry {
  readonly code: string;
  /** Digits after the decimal point in ISO 4217. */
  readonly minorUnits: 0 | 2 | 3 | 4;
  /** `yyyy-MM-dd` from which it is no longer tender; null while it is. */
  readonly withdrawnOn: string | null;
}

const twoDigits =
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC ' +
  'CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR ' +
  'JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD ' +
  'NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN ' +
  'SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG';
const noDigits = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF';
const threeDigits = 'BHD IQD JOD KWD LYD OMR TND';

/** Units of account in which a contract or price can be stated; an amount in one is an amount. */
const funds: readonly (readonly [code: string, minorUnits: 0 | 2 | 4])[] = [
  ['BOV', 2],
  ['CHE', 2],
  ['CHW', 2],
  ['CLF', 4],
  ['COU', 2],
  ['MXV', 2],
  ['USN', 2],
  ['UYI', 0],
  ['UYW', 4],
];

/** Withdrawn since 2018: a chargeback or refund may still name the currency of its original payment. */
const withdrawn: readonly (readonly [code: string, on: string])[] = [
  ['MRO', '2018-01-01'],
  ['STD', '2018-01-01'],
  ['VEF', '2018-08-20'],
  ['CUC', '2021-01-01'],
  ['HRK', '2023-01-01'],
  ['SLL', '2024-01-01'],
  ['ZWL', '2024-09-01'],
  ['ANG', '2025-07-01'],
  ['BGN', '2026-01-01'],
];

/**
 * Left out intentionally, because nothing settles in them: precious metals (XAG, XAU, XPD, XPT), bond market units
 * (XBA-XBD), accounting units of institutions (XDR, XSU, XUA), XTS (tests) and XXX (no currency).
 */

function active(codes: string, minorUnits: 0 | 2 | 3): CurrencyEntry[] {
  return codes.split(' ').map((code) => ({ code, minorUnits, withdrawnOn: null }));
}

const entries: readonly CurrencyEntry[] = [
  ...active(noDigits, 0),
  ...active(twoDigits, 2),
  ...active(threeDigits, 3),
  ...funds.map(([code, minorUnits]) => ({ code, minorUnits, withdrawnOn: null })),
  ...withdrawn.map(([code, withdrawnOn]) => ({ code, minorUnits: 2 as const, withdrawnOn })),
];

/** Every accepted currency by its code. */
export const currencies: ReadonlyMap<string, CurrencyEntry> = new Map(
  entries.map((entry) => [entry.code, entry]),
);

/** The rule for a code, as messages about another text say it. */
export const currencyRule = 'must be an ISO 4217 code in capitals, for example EUR';

/** Whether the text is the code of a currency, in capitals, in which an amount can be settled. */
export function isCurrency(code: string): boolean {
  return currencies.has(code);
}
