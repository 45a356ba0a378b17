import type { CardResponse } from '../responses/response-types.js';
import { classifyResultCode } from '../results/classify-result-code.js';
import {
  longestText,
  textOfShape,
  textOf,
  textsOf,
  leaveOut,
  type Absent,
  type AnswerIssue,
  type Report,
} from './answer-fields.js';
import type { ConnectorAnswer } from './connector.js';
import { readRedirect } from './read-redirect.js';
import { readResultDetails } from './read-result-details.js';
import { isAvsResponse, isCvvResponse } from './simulator-triggers.js';
import { isObject } from '../../values/is-object.js';

/** An answer without what the specification does not allow, and what was left out of it. */
export interface AnswerReading {
  readonly answer: ConnectorAnswer;
  readonly issues: readonly AnswerIssue[];
}

/** For a value that is not an answer: the outcome of the payment is unknown. */
const uncertain = '900.100.100';
const unknownCode = '999.999.999';

/**
 * Checks a connector's answer against operations 2.5. A text that only people read is cut to its length. A value
 * that a program compares is left out when it does not fit, since a cut value would be another value. A redirect is
 * left out as a whole. The result code decides about money: a code outside every class is stored as 999.999.999 with
 * the original as AcquirerResponse, and an answer without a code is uncertain. Never throws.
 */
export function readAnswer(given: unknown): AnswerReading {
  const issues: AnswerIssue[] = [];
  const report: Report = (field, reason) => {
    issues.push({ field, reason });
  };
  try {
    return { answer: readFields(given, report), issues };
  } catch {
    report('', 'could not be read');
    return { answer: { resultCode: uncertain }, issues };
  }
}

function readFields(given: unknown, report: Report): ConnectorAnswer {
  if (!isObject(given) || typeof given['resultCode'] !== 'string') {
    report('resultCode', 'is missing');
    return { resultCode: uncertain };
  }
  // Copied once: a getter could return another value the next time.
  const answer: Readonly<Record<string, unknown>> = { ...given };
  const sentCode = String(answer['resultCode']);
  const isKnown = isOutcome(sentCode);
  if (!isKnown) report('resultCode', `is not an outcome of a payment; stored as ${unknownCode}`);
  const description = textOf(answer['description'], 'description', 255, report);
  const resultDetails = {
    ...readResultDetails(answer['resultDetails'], report),
    ...(isKnown ? {} : { AcquirerResponse: textOf(sentCode, 'resultCode', longestText, report) ?? '' }),
  };
  const { avsResponse, cvvResponse } = answer;
  const compared = (field: string, shape: RegExp, reason: string) =>
    textOfShape(answer[field], { field, shape, reason }, report);
  const read = {
    resultCode: isKnown ? sentCode : unknownCode,
    // A text that belongs to a rejected code would not match the stored code.
    description: isKnown ? description : undefined,
    avsResponse: isAvsResponse(avsResponse)
      ? avsResponse
      : leaveOut(avsResponse, 'avsResponse', 'is not one of A, Z, N, U, F', report),
    cvvResponse: isCvvResponse(cvvResponse)
      ? cvvResponse
      : leaveOut(cvvResponse, 'cvvResponse', 'is not one of M, N, P, S, U', report),
    resultDetails: Object.keys(resultDetails).length === 0 ? undefined : resultDetails,
    riskScore: compared('riskScore', /^[+-]?\d{1,5}$/, 'is not a number from -99999 to +99999'),
    connectorTxIds: referencesOf(answer['connectorTxIds'], report),
    redirect: readRedirect(answer['redirect'], report),
    brandResult: compared('brandResult', /^\w{1,16}$/, 'is not a brand of up to 16 characters'),
    initialTransactionId: compared(
      'initialTransactionId',
      /^[\x21-\x7e]{1,255}$/,
      'is not a reference of up to 255 characters',
    ),
    card: cardOf(answer['card'], report),
  };
  const present: Partial<Record<keyof typeof read, unknown>> = {};
  // The names of an object literal are its keys.
  for (const name of Object.keys(read) as (keyof typeof read)[]) {
    const value = read[name];
    if (value !== undefined && value !== null) present[name] = value;
  }
  // Only members without a value were left out.
  return present as ConnectorAnswer;
}

/** A chargeback code is a reason, not an outcome of a payment. */
function isOutcome(code: string): boolean {
  const resultClass = classifyResultCode(code);
  return resultClass !== 'unknown' && resultClass !== 'chargeback';
}

/** At most three. Each may be as long as the settlement file column that it is compared with. */
function referencesOf(value: unknown, report: Report): readonly string[] | Absent {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return leaveOut(value, 'connectorTxIds', 'is not a list', report);
  const given: readonly unknown[] = value.slice(0, 3);
  if (value.length > given.length) report('connectorTxIds', 'has more than 3 entries; the rest left out');
  const shape = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/;
  const reason = 'is not a reference of up to 64 characters';
  return given
    .map((one) => textOfShape(one, { field: 'connectorTxIds', shape, reason }, report))
    .filter((one) => typeof one === 'string');
}

function cardOf(value: unknown, report: Report): ConnectorAnswer['card'] | Absent {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) return leaveOut(value, 'card', 'is not an object', report);
  const issuer = isObject(value['issuer'])
    ? textsOf(value['issuer'], 'card.issuer', ['bank', 'phone', 'website'], report)
    : undefined;
  const card: Pick<CardResponse, 'type' | 'level' | 'regulatedFlag' | 'issuer'> = {
    ...textsOf(value, 'card', ['type', 'level', 'regulatedFlag'], report),
    ...(issuer === undefined ? {} : { issuer }),
  };
  return Object.keys(card).length === 0 ? undefined : card;
}
