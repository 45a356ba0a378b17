import { z } from 'zod';

/** Types of settings that several groups of the configuration use. */

const numeral = /^-?\d+(?:\.\d+)?$/;

/** `port: ${PORT}` gives text where a number is expected. */
export function fromText<T extends z.ZodType>(schema: T) {
  return z.preprocess(
    (value) => (typeof value === 'string' && numeral.test(value) ? Number(value) : value),
    schema,
  );
}

export const whole = (least: number, most: number) => fromText(z.int().min(least).max(most));

export const yesOrNo = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
);

export const text = z.string().min(1);

export const milliseconds = whole(100, 86_400_000);

/** `{ EUR: 1000.00 }`: hundredths by currency. YAML brings a number, whose text has the digits that were written. */
export const moneyByCurrency = z
  .record(
    z.string().regex(/^[A-Z]{3}$/, 'must be a currency such as EUR'),
    z
      .preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string())
      .refine(
        (text) => /^\d{1,10}(?:\.\d{1,2})?$/.test(text),
        'must be an amount such as 1000.00, with two decimals at most',
      )
      .transform((text) => {
        const [whole = '', part = ''] = text.split('.');
        return BigInt(`${whole}${part.padEnd(2, '0')}`);
      }),
  )
  .transform((amounts): ReadonlyMap<string, bigint> => new Map(Object.entries(amounts)));
