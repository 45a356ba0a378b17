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
