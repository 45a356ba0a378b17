import { Cron } from 'croner';
import * as z from 'zod';
import { currencyRule, isCurrency } from '../values/currencies.js';

/** Types of settings that several groups of the configuration use. */

const numeral = /^-?\d+(?:\.\d+)?$/;

/** `port: ${PORT}` gives text where a number is expected. */
export function fromText<T extends z.ZodType>(schema: T) {
  return z.preprocess(
    (value) => (typeof value === 'string' && numeral.test(value) ? Number(value) : value),
    schema,
  );
}

/** A whole number within both bounds, as a number or its text: a variable inserts texts. */
export const whole = (least: number, most: number) => fromText(z.int().min(least).max(most));

/** A boolean, or `true` and `false` as a text: a variable inserts texts. */
export const yesOrNo = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
);

/**
 * A text with something in it. Only blanks are what a variable or a template leaves that was not filled in: they would
 * name a folder of blanks, or a host that nobody finds.
 *
 * @param example what to write instead
 */
export const textSuchAs = (example: string) =>
  z.string().superRefine((given, context) => {
    if (given.trim() !== '') return;
    const problem = given === '' ? 'must not be empty' : 'must not consist only of blanks';
    context.addIssue(`${problem}; write ${example}`);
  });

/** A text of no special form, such as a name. An empty one, and one of blanks only, is refused. */
export const text = textSuchAs('a value, or leave the setting out where it is optional');

/** The path of a folder, on this machine or on a file server. It is not looked up here. */
export const folder = textSuchAs('the path of a folder');

/** The path of a file, often one with a secret. It is not opened here. */
export const file = textSuchAs('the path of a file');

/** Of a server; what it cannot have otherwise shows when it is looked up. */
export const host = textSuchAs(
  'the name or the address of a host, such as sftp.example.com or 10.0.0.7',
).refine((given) => given.trim() === '' || !/\s/.test(given), 'must not contain a blank');

/** From 100 ms to a day. */
export const milliseconds = whole(100, 86_400_000);

/** `{ EUR: 1000.00 }`: hundredths by currency. YAML brings a number, whose text has the digits that were written. */
export const moneyByCurrency = z
  .record(
    z.string().refine(isCurrency, currencyRule),
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

/** Only named zones: PostgreSQL reads the sign of `+02:00` the other way round. */
export const timezone = z
  .string()
  .refine(isTimezone, 'is not a time zone of the IANA database, such as Europe/Berlin');

function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The port of a file server, so never 0; the gateway, which may listen on any free port, has its own bounds. */
export const port = whole(1, 65_535);

/** A cron expression that has a next occurrence, with five fields or, with seconds, six. */
export const cron = z.string().superRefine((expression, context) => {
  try {
    const next = new Cron(expression, { paused: true, mode: '5-or-6-parts' }).nextRun();
    if (next === null) context.addIssue('names a time that never occurs');
  } catch {
    context.addIssue("is not a cron expression of 5 fields (6 with seconds), such as '30 5 * * *'");
  }
});
