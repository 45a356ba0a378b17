import type { CronPart } from './cron.js';

/** The characters that a text may contain. The pattern matches the whole value, whatever its length. */
export interface Characters {
  readonly pattern: RegExp;
  /** Completes "may hold …". */
  readonly says: string;
  /** A valid character that may be repeated to any length. */
  readonly filler: string;
}

/** The forms of a code of ISO 3166-1. */
export type CountryForm = 'alpha-2' | 'alpha-3' | 'numeric';

/** The type of a parameter's value. Lengths are in characters (code points). */
export type FieldType =
  | {
      readonly kind: 'text';
      readonly min: number;
      readonly max: number;
      readonly characters: Characters | null;
    }
  /** A value with an inner structure, not only a set of characters. */
  | {
      readonly kind: 'shape';
      readonly pattern: RegExp;
      /** Completes "must be …". */
      readonly says: string;
      readonly example: string;
    }
  /** A whole number. `digits` is the highest number of digits, leading zeros included. */
  | { readonly kind: 'number'; readonly from: number; readonly to: number; readonly digits: number }
  | { readonly kind: 'amount'; readonly integerDigits: number; readonly decimals: 'optional' | 'mandatory' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  /** Codes separated by commas. */
  | { readonly kind: 'list'; readonly values: readonly string[] }
  | { readonly kind: 'boolean' }
  /** A day that exists. `anyYear` also allows years after 2099, since 9999-12-31 is a documented default. */
  | { readonly kind: 'date'; readonly anyYear: boolean }
  /** `yyyy-MM-dd HH:mm:ss`. */
  | { readonly kind: 'timestamp'; readonly zoneOffset: 'none' | 'optional' }
  /** An absolute URL. */
  | { readonly kind: 'url'; readonly min: number; readonly max: number }
  | { readonly kind: 'currency'; readonly anyCase: boolean }
  | { readonly kind: 'country'; readonly forms: readonly CountryForm[]; readonly anyCase: boolean }
  | { readonly kind: 'cron'; readonly part: CronPart; readonly max: number }
  | { readonly kind: 'cron expression'; readonly max: number };

/** AN in the notation of the documents: any characters. Without `min` an empty value is refused. */
export const text = (max: number, min = 1): FieldType => ({ kind: 'text', min, max, characters: null });

/** Text with a limited set of characters. */
export const textOf = (characters: Characters, max: number, min = 1): FieldType => ({
  kind: 'text',
  min,
  max,
  characters,
});

const digitsOnly: Characters = { pattern: /^\d*$/, says: 'digits only', filler: '1' };

/** N in the notation of the documents: digits, leading zeros included. Without `min` an empty value is refused. */
export const digits = (max: number, min = 1): FieldType => textOf(digitsOnly, max, min);

/** A whole number between two bounds. */
export const number = (from: number, to: number): FieldType => ({
  kind: 'number',
  from,
  to,
  digits: String(to).length,
});

/** A value that a pattern describes as a whole; `says` completes "must be …". */
export const shape = (pattern: RegExp, says: string, example: string): FieldType => ({
  kind: 'shape',
  pattern,
  says,
  example,
});

/** One of these values, in exactly this case. */
export const oneOf = (...values: readonly string[]): FieldType => ({ kind: 'enum', values });

/** Two-digit codes from `01` to the given one. */
export const twoDigitCodes = (to: number): FieldType =>
  oneOf(...Array.from({ length: to }, (_, index) => String(index + 1).padStart(2, '0')));

/** Codes from this list, separated by commas: paymentTypes and paymentMethods of a query (catalogue 2.26). */
export const listOf = (values: readonly string[]): FieldType => ({ kind: 'list', values });

/** N10.N2: up to 10 integer digits, optionally a dot and exactly 2 decimals. */
export const amount: FieldType = { kind: 'amount', integerDigits: 10, decimals: 'optional' };

/** N13: 1-10 integer digits, a dot, exactly 2 decimals. */
export const exactAmount: FieldType = { kind: 'amount', integerDigits: 10, decimals: 'mandatory' };

/** `true` or `false`, in lower case. */
export const trueOrFalse: FieldType = { kind: 'boolean' };
/** yyyy-MM-dd: a day that exists, from 1900 to 2099 (catalogue, notation). */
export const date: FieldType = { kind: 'date', anyYear: false };
/** A date that may also be later than 2099, such as 9999-12-31. */
export const distantDate: FieldType = { kind: 'date', anyYear: true };
/** Without an offset. */
export const timestamp: FieldType = { kind: 'timestamp', zoneOffset: 'none' };
/** With an offset such as `+0100`, or without one. */
export const zonedTimestamp: FieldType = { kind: 'timestamp', zoneOffset: 'optional' };
/** An absolute URL of this length, in characters. */
export const url = (min: number, max: number): FieldType => ({ kind: 'url', min, max });

/** A3 of ISO 4217, in capitals. */
export const currency: FieldType = { kind: 'currency', anyCase: false };

/** If the documents say "2 letters" and not "uppercase", lower-case letters are accepted too. */
export const country = (...forms: readonly CountryForm[]): FieldType => ({
  kind: 'country',
  forms,
  anyCase: true,
});
/** If the documents say "uppercase". */
export const uppercaseCountry: FieldType = { kind: 'country', forms: ['alpha-2'], anyCase: false };
