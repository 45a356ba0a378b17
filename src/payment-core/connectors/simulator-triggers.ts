import type { AvsResponse, CvvResponse } from '../responses/response-types.js';

/** The answer that a request wants from the simulator. */
export interface Trigger {
  readonly resultCode?: string;
  readonly avsResponse?: AvsResponse;
  readonly cvvResponse?: CvvResponse;
  readonly riskScore?: string;
  readonly adviceCode?: string;
  readonly acquirerResponse?: string;
  readonly redirect: boolean;
}

/** Outcomes by amount, for requests without holder or custom parameters; everything else is approved. */
export const amountTriggers: ReadonlyMap<string, string> = new Map([
  ['9000.05', '800.100.152'],
  ['9000.14', '800.100.151'],
  ['9000.41', '800.100.165'],
  ['9000.43', '800.100.159'],
  ['9000.51', '800.100.155'],
  ['9000.54', '800.100.157'],
  ['9000.61', '800.100.162'],
  ['9000.65', '300.100.100'],
  ['9000.80', '000.200.000'],
  ['9000.81', '000.400.000'],
  ['9000.90', '900.100.300'],
  ['9000.91', '900.100.600'],
  ['9000.96', '999.999.999'],
]);

const word = 'SIMULATE';

/**
 * Reads the trigger of a text such as `SIMULATE 800.100.155 AVS=N CVV=P SCORE=-20 ADVICE=03 ACQUIRER=51` or
 * `SIMULATE REDIRECT`; undefined for any other text.
 */
export function readTrigger(text: string | undefined): Trigger | undefined {
  // Hardly any text has it.
  if (text?.includes(word) !== true) return undefined;
  const [first, ...rest] = text.trim().split(/\s+/);
  if (first !== word) return undefined;
  const setting = (name: string) => rest.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
  const resultCode = rest.find((part) => /^[\d.]{2,11}$/.test(part));
  const avs = setting('AVS');
  const cvv = setting('CVV');
  const score = setting('SCORE');
  const advice = setting('ADVICE');
  const acquirer = setting('ACQUIRER');
  return {
    ...(resultCode === undefined ? {} : { resultCode }),
    ...(isAvsResponse(avs) ? { avsResponse: avs } : {}),
    ...(isCvvResponse(cvv) ? { cvvResponse: cvv } : {}),
    ...(score !== undefined && /^[+-]?\d{1,5}$/.test(score) ? { riskScore: score } : {}),
    ...(advice !== undefined && /^\d{2}$/.test(advice) ? { adviceCode: advice } : {}),
    ...(acquirer === undefined ? {} : { acquirerResponse: acquirer }),
    redirect: rest.includes('REDIRECT'),
  };
}

/** Whether the text is one of the letters of an address check. */
export function isAvsResponse(text: unknown): text is AvsResponse {
  return typeof text === 'string' && ['A', 'Z', 'N', 'U', 'F'].includes(text);
}

/** Whether the text is one of the letters of a check of the card code. */
export function isCvvResponse(text: unknown): text is CvvResponse {
  return typeof text === 'string' && ['M', 'N', 'P', 'S', 'U'].includes(text);
}
