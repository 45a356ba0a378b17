import { isNamedCode } from '../secrets/security-codes.js';
import { isStorable } from '../../values/storable-text.js';
import { isCvvResponse, isAvsResponse } from './simulator-triggers.js';
import type { ConnectorAnswer } from './connector.js';
import type { CardResponse, Redirect } from '../responses/response-types.js';
import { classifyResultCode } from '../results/classify-result-code.js';

/** A problem with a field of an answer, without its value. */
export interface AnswerIssue {
  readonly field: string;
  readonly reason: string;
}

export interface AnswerReading {
  readonly answer: ConnectorAnswer;
  readonly issues: readonly AnswerIssue[];
}

/** For a value that is not an answer: the outcome of the payment is unknown. */
const uncertain = '900.100.100';
const unknownCode = '999.999.999';
const longestText = 2048;
const mostDetails = 100;
const mostRedirectParameters = 100;

type Report = (field: string, reason: string) => void;

/** Nothing to keep. */
type Absent = null | undefined;

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
  if (!isRecord(given) || typeof given['resultCode'] !== 'string') {
    report('resultCode', 'is missing');
    return { resultCode: uncertain };
  }
  // Copied once: a getter could return another value the next time.
  const answer: Readonly<Record<string, unknown>> = { ...given };
  const sentCode = String(answer['resultCode']);
  const resultCode = isOutcome(sentCode) ? sentCode : unknownCode;
  if (resultCode !== sentCode)
    report('resultCode', `is not an outcome of a payment; stored as ${unknownCode}`);
  const description = textOf(answer['description'], 'description', 255, report);
  const resultDetails = {
    ...detailsOf(answer['resultDetails'], report),
    ...(resultCode === sentCode
      ? {}
      : { AcquirerResponse: textOf(sentCode, 'resultCode', longestText, report) ?? '' }),
  };
  const avsResponse = answer['avsResponse'];
  const cvvResponse = answer['cvvResponse'];
  const read = {
    resultCode,
    // A text that belongs to a rejected code would not match the stored code.
    description: resultCode === sentCode ? description : undefined,
    avsResponse: isAvsResponse(avsResponse)
      ? avsResponse
      : unfit(avsResponse, 'avsResponse', 'is not one of A, Z, N, U, F', report),
    cvvResponse: isCvvResponse(cvvResponse)
      ? cvvResponse
      : unfit(cvvResponse, 'cvvResponse', 'is not one of M, N, P, S, U', report),
    resultDetails: Object.keys(resultDetails).length === 0 ? undefined : resultDetails,
    riskScore: matching(
      answer['riskScore'],
      'riskScore',
      /^[+-]?\d{1,5}$/,
      'is not a number from -99999 to +99999',
      report,
    ),
    connectorTxIds: referencesOf(answer['connectorTxIds'], report),
    redirect: redirectOf(answer['redirect'], report),
    brandResult: matching(
      answer['brandResult'],
      'brandResult',
      /^\w{1,16}$/,
      'is not a brand of up to 16 characters',
      report,
    ),
    initialTransactionId: matching(
      answer['initialTransactionId'],
      'initialTransactionId',
      /^[\x21-\x7e]{1,255}$/,
      'is not a reference of up to 255 characters',
      report,
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

function unfit(value: unknown, field: string, reason: string, report: Report): Absent {
  if (value !== undefined && value !== null) report(field, `${reason}; left out`);
  return undefined;
}

function matching(
  value: unknown,
  field: string,
  shape: RegExp,
  reason: string,
  report: Report,
): string | Absent {
  if (typeof value === 'string' && value.length <= longestText && shape.test(value)) return value;
  return unfit(value, field, reason, report);
}

/** A text for people, cut to its length in characters, without the characters that the database cannot store. */
function textOf(value: unknown, field: string, longest: number, report: Report): string | Absent {
  if (typeof value !== 'string') return unfit(value, field, 'is not a text', report);
  const characters = Array.from(value.slice(0, 2 * longest + 2).replace(/\u0000|[\uD800-\uDFFF]/gu, ''));
  if (characters.length <= longest && value.length <= 2 * longest + 2) return characters.join('');
  report(field, `is longer than ${longest} characters; cut`);
  return characters.slice(0, longest).join('');
}

function detailsOf(value: unknown, report: Report): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) {
    unfit(value, 'resultDetails', 'is not a record of texts', report);
    return {};
  }
  const all = Object.entries(value);
  if (all.length > mostDetails)
    report('resultDetails', `has more than ${mostDetails} entries; the rest left out`);
  const details: Record<string, string> = {};
  for (const [name, detail] of all.slice(0, mostDetails)) {
    if (!/^[A-Za-z0-9._]{3,64}$/.test(name)) {
      report(
        'resultDetails',
        'has a name that is not 3 to 64 letters, digits, dots and underscores; left out',
      );
    } else if (isNamedCode(name, detail)) {
      report(`resultDetails.${name}`, 'is a security code; left out');
    } else if (name === 'MerchantAdviceCode') {
      const code = matching(
        detail,
        'resultDetails.MerchantAdviceCode',
        /^\d{1,2}$/,
        'is not up to 2 digits',
        report,
      );
      if (typeof code === 'string') details[name] = code;
    } else {
      const text = textOf(detail, `resultDetails.${name}`, longestText, report);
      if (typeof text === 'string') details[name] = text;
    }
  }
  return details;
}

/** At most three. Each may be as long as the settlement file column that it is compared with. */
function referencesOf(value: unknown, report: Report): readonly string[] | Absent {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return unfit(value, 'connectorTxIds', 'is no list', report);
  const given: readonly unknown[] = value.slice(0, 3);
  if (value.length > given.length) report('connectorTxIds', 'has more than 3 entries; the rest left out');
  return given
    .map((one) =>
      matching(
        one,
        'connectorTxIds',
        /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/,
        'is not a reference of up to 64 characters',
        report,
      ),
    )
    .filter((one) => typeof one === 'string');
}

function redirectOf(value: unknown, report: Report): Redirect | Absent {
  if (value === undefined || value === null) return undefined;
  const leftOut = (reason: string): Absent => unfit(value, 'redirect', reason, report);
  if (!isRecord(value)) return leftOut('is not a record');
  const url = value['url'];
  const isUrl =
    typeof url === 'string' &&
    url.length >= 6 &&
    url.length <= longestText &&
    /^https?:\/\/\S+$/i.test(url) &&
    URL.canParse(url);
  if (!isUrl) return leftOut('has no absolute http URL of 6 to 2048 characters');
  const listed: unknown = value['parameters'] ?? [];
  if (!Array.isArray(listed) || listed.length > mostRedirectParameters)
    return leftOut('has no list of parameters');
  const parameters = listed.map(pairOf);
  if (parameters.includes(undefined)) return leftOut('has a parameter that is not 1 to 255 characters');
  const sent = [
    ...new URL(url).searchParams,
    ...parameters.map((pair) => [pair?.name ?? '', pair?.value] as const),
  ];
  // It is stored, and passes through the browser.
  if (sent.some(([name, text]) => isNamedCode(name, text))) return leftOut('has a security code');
  return { url, parameters: parameters.filter((pair) => pair !== undefined) };
}

function pairOf(value: unknown): { readonly name: string; readonly value: string } | undefined {
  if (!isRecord(value)) return undefined;
  const { name, value: text } = value;
  return isShort(name) && isShort(text) ? { name, value: text } : undefined;
}

function isShort(text: unknown): text is string {
  return typeof text === 'string' && text.length >= 1 && text.length <= 255 && isStorable(text);
}

function cardOf(value: unknown, report: Report): ConnectorAnswer['card'] | Absent {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) return unfit(value, 'card', 'is not a record', report);
  const issuer = isRecord(value['issuer'])
    ? textsOf(value['issuer'], 'card.issuer', ['bank', 'phone', 'website'], report)
    : undefined;
  const card: Pick<CardResponse, 'type' | 'level' | 'regulatedFlag' | 'issuer'> = {
    ...textsOf(value, 'card', ['type', 'level', 'regulatedFlag'], report),
    ...(issuer === undefined ? {} : { issuer }),
  };
  return Object.keys(card).length === 0 ? undefined : card;
}

function textsOf(
  value: Readonly<Record<string, unknown>>,
  prefix: string,
  names: readonly string[],
  report: Report,
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(value[name], `${prefix}.${name}`, longestText, report);
      return typeof text === 'string' ? [[name, text] as const] : [];
    }),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
