import { fixedKeyContainers, indexedContainers, keyedContainers } from './containers.js';
import { schemes } from './catalogue/three-d-secure-fields.js';

/** The parts of a parameter's name. */
export interface ParsedName {
  /** The name as in the catalogue: `airline.passengers[n].legs[n].taxAmount`. */
  readonly template: string;
  /** The indexes in their order; empty if there are none. */
  readonly indexes: readonly number[];
  /** The key between brackets, for example of `customParameters[key]`; null if there is none. */
  readonly key: string | null;
}

/** A name with its indexes and keys taken apart, or why it is not a name of the catalogue. */
export type NameReading =
  | ({ readonly ok: true } & ParsedName)
  /** `reason` completes "<name> …" and quotes no part of the name. */
  | { readonly ok: false; readonly reason: string };

/** The limits of a name: bytes, and dotted segments. */
const longestName = 200;
const deepestName = 8;

/** Names that reach the prototype of an object when a library assigns by path. */
const reserved: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const segmentShape = /^([A-Za-z][A-Za-z0-9]*)(?:\[([^[\]]*)\])?$/;
const canonicalIndex = /^(?:0|[1-9]\d{0,5})$/;
const schemeNames: ReadonlySet<string> = new Set(schemes);

const refused = (reason: string): NameReading => ({ ok: false, reason });

/**
 * Parses a parameter's name without using it to access an object. Refuses reserved words, indexes that are not
 * canonical (`[01]`, `[-1]`, `[1e3]`, `[]`) or too large, malformed keys, and names over 200 bytes or 8 levels. Does
 * not check whether the name is in the catalogue.
 */
export function parseParameterName(name: string): NameReading {
  const before = known.get(name);
  if (before !== undefined) return before;
  const reading = parseNewName(name);
  if (reading.ok && known.size < mostKnown) known.set(name, reading);
  return reading;
}

/**
 * The names that were parsed first: each name of a request is needed several times. Their number is bounded, since a
 * sender could invent names without end.
 */
const known = new Map<string, NameReading>();
const mostKnown = 2000;

function parseNewName(name: string): NameReading {
  if (name === '') return refused('is empty');
  if (name.length > longestName || Buffer.byteLength(name) > longestName) {
    return refused(`is longer than ${longestName} bytes`);
  }
  if (name.split(/[.[\]]/).some((word) => reserved.has(word))) {
    return refused('contains a reserved word');
  }
  const bracket = name.indexOf('[');
  const container = bracket === -1 ? '' : name.slice(0, bracket);
  const keyRule = keyedContainers.get(container);
  if (keyRule !== undefined || fixedKeyContainers.has(container)) {
    const key = name.slice(bracket + 1, -1);
    if (!name.endsWith(']') || /[[\]]/.test(key)) return refused('must end with one key in brackets');
    if (keyRule === undefined) return { ok: true, template: name, indexes: [], key: null };
    if (!keyRule.pattern.test(key)) return refused(`has a key that is not ${keyRule.says}`);
    return { ok: true, template: `${container}[key]`, indexes: [], key };
  }
  return parseSegments(name);
}

function parseSegments(name: string): NameReading {
  const segments = name.split('.');
  if (segments.length > deepestName) return refused(`has more than ${deepestName} levels`);
  const indexes: number[] = [];
  let template = '';
  for (const segment of segments) {
    const [, word, index] = segmentShape.exec(segment) ?? [];
    if (word === undefined) return refused('is not a name of letters, digits, dots and indexes');
    const isScheme = template === 'threeDSecure.v2' && schemeNames.has(word);
    template = `${template}${template === '' ? '' : '.'}${isScheme ? '<scheme>' : word}`;
    if (index === undefined) continue;
    if (!canonicalIndex.test(index)) return refused('has an index that is not a plain number from 0');
    const highest = indexedContainers.get(template) ?? 0;
    if (Number(index) > highest) return refused(`has an index above ${highest}`);
    indexes.push(Number(index));
    template += '[n]';
  }
  return { ok: true, template, indexes, key: null };
}
