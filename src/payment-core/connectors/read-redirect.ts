import { isStorable } from '../../values/storable-text.js';
import type { Redirect } from '../responses/response-types.js';
import { isNamedCode } from '../secrets/security-codes.js';
import { leaveOut, longestText, type Absent, type Report } from './answer-fields.js';
import { isObject } from '../../values/is-object.js';

const mostRedirectParameters = 100;

/** Where a connector's answer sends the shopper, as a whole or not at all. */
export function readRedirect(value: unknown, report: Report): Redirect | Absent {
  if (value === undefined || value === null) return undefined;
  const refused = (reason: string): Absent => leaveOut(value, 'redirect', reason, report);
  if (!isObject(value)) return refused('is not an object');
  const url = value['url'];
  const isUrl =
    typeof url === 'string' &&
    url.length >= 6 &&
    url.length <= longestText &&
    /^https?:\/\/\S+$/i.test(url) &&
    URL.canParse(url);
  if (!isUrl) return refused('has no absolute http URL of 6 to 2048 characters');
  const listed: unknown = value['parameters'] ?? [];
  if (!Array.isArray(listed) || listed.length > mostRedirectParameters)
    return refused('has no list of parameters');
  const parameters = listed.map(pairOf);
  if (parameters.includes(undefined)) return refused('has a parameter that is not 1 to 255 characters');
  const sent = [
    ...new URL(url).searchParams,
    ...parameters.map((pair) => [pair?.name ?? '', pair?.value] as const),
  ];
  // It is stored, and passes through the browser.
  if (sent.some(([name, text]) => isNamedCode(name, text))) return refused('has a security code');
  return { url, parameters: parameters.filter((pair) => pair !== undefined) };
}

function pairOf(value: unknown): { readonly name: string; readonly value: string } | undefined {
  if (!isObject(value)) return undefined;
  const { name, value: text } = value;
  return isShort(name) && isShort(text) ? { name, value: text } : undefined;
}

function isShort(text: unknown): text is string {
  return typeof text === 'string' && text.length >= 1 && text.length <= 255 && isStorable(text);
}
