import { currencyNumber, currencyNumbers } from '../settlement-file/scan-ordinary-row.js';
import { currencies } from '../values/currencies.js';

/** Amounts below 10^12 add up exactly in a number for this many rows; then they move to a bigint. */
const rowsBetweenCarries = 4096;

const codes = [...currencies.keys()];

/** The place in `codes` by `currencyNumber`: sums by that number would take 140 KB for each file. */
const placeOfCurrency = new Uint16Array(currencyNumbers);
for (const [at, code] of codes.entries())
  placeOfCurrency[currencyNumber(code.charCodeAt(0), code.charCodeAt(1), code.charCodeAt(2))] = at;

/** Exact sums of many amounts, by currency. */
export class CurrencySums {
  /** By the place of their currency, as are `#currencies` and `#sums`. */
  readonly #pending = new Float64Array(codes.length);
  readonly #currencies = new Set<number>();
  readonly #sums = new Map<number, bigint>();
  #sinceCarry = 0;

  /**
   * @param currency `currencyNumber` of a known currency
   * @param amountMinor in hundredths, below 10^12
   */
  add(currency: number, amountMinor: number): void {
    // The currency is known, so the entries exist.
    const place = placeOfCurrency[currency] as number;
    if (this.#pending[place] === 0) this.#currencies.add(place);
    this.#pending[place] = (this.#pending[place] as number) + amountMinor;
    this.#sinceCarry += 1;
    if (this.#sinceCarry >= rowsBetweenCarries) this.#carry();
  }

  /** In hundredths, by currency code. */
  get byCode(): ReadonlyMap<string, bigint> {
    this.#carry();
    return new Map([...this.#sums].map(([place, sum]) => [codes[place] ?? '', sum]));
  }

  #carry(): void {
    for (const place of this.#currencies) {
      this.#sums.set(place, (this.#sums.get(place) ?? 0n) + BigInt(this.#pending[place] ?? 0));
      this.#pending[place] = 0;
    }
    this.#currencies.clear();
    this.#sinceCarry = 0;
  }
}
