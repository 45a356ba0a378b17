import { isCalendarDate } from '../../values/calendar-date.js';
import { isCountryAlpha2, isCountryAlpha3, isCountryNumeric } from '../../values/countries.js';
import { isCurrency } from '../../values/currencies.js';
import { isStorable } from '../../values/storable-text.js';
import { isJobField, readCronExpression, whyNotExpression } from '../fields/cron.js';
import { describeType } from '../fields/describe-type.js';
import type { CountryForm, FieldType } from '../fields/field-type.js';
import { longestValue } from './receive-parameters.js';

const timestampShape = /^(\d{4}-\d\d-\d\d) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const zoneOffset = / ?[+-](?:0\d|1[0-4]):?[0-5]\d$/;
const absoluteUrl = /^([a-z][a-z0-9+.-]*):\/\/[^\s]+$/i;
/** Schemes that run code or read data when somebody follows the link. */
const dangerousSchemes: ReadonlySet<string> = new Set(['javascript', 'data', 'vbscript', 'file', 'blob']);
const countryChecks: Readonly<Record<CountryForm, (code: string) => boolean>> = {
  'alpha-2': isCountryAlpha2,
  'alpha-3': isCountryAlpha3,
  numeric: isCountryNumeric,
};

/** Why a value is refused, as the rest of "<name> …" and without any part of the value; undefined when it is valid. */
export function checkValue(type: FieldType, value: string): string | undefined {
  // Longer values never reach a pattern, because some patterns use the stack for every character.
  if (value.length > longestValue) return `must be ${describeType(type)}`;
  if (!isStorable(value)) return 'contains an invalid character or one that cannot be stored';
  if (fits(type, value)) return undefined;
  if (type.kind === 'text' && type.characters !== null && !type.characters.pattern.test(value)) {
    return `may hold ${type.characters.says}`;
  }
  if (type.kind === 'cron expression' && value.length <= type.max) return whyNotExpression(value);
  return `must be ${describeType(type)}`;
}

function fits(type: FieldType, value: string): boolean {
  switch (type.kind) {
    case 'text':
      return hasLength(value, type.min, type.max) && (type.characters?.pattern.test(value) ?? true);
    case 'shape':
      return type.pattern.test(value);
    case 'number':
      return isNumberWithin(value, type);
    case 'amount':
      return isAmount(value, type);
    case 'enum':
      return type.values.includes(value);
    case 'list':
      return value.split(',').every((code) => type.values.includes(code));
    case 'boolean':
      return value === 'true' || value === 'false';
    case 'date':
      return type.anyYear ? isDayOfAnyYear(value) : isCalendarDate(value);
    case 'timestamp':
      return isTimestamp(type.zoneOffset === 'optional' ? value.replace(zoneOffset, '') : value);
    case 'url':
      return hasLength(value, type.min, type.max) && isAbsoluteUrl(value);
    case 'currency':
      return isCurrency(type.anyCase ? value.toUpperCase() : value);
    case 'country':
      return type.forms.some((form) => countryChecks[form](type.anyCase ? value.toUpperCase() : value));
    case 'cron':
      return hasLength(value, 0, type.max) && isJobField(type.part, value);
    case 'cron expression':
      return hasLength(value, 1, type.max) && readCronExpression(value) !== undefined;
  }
}

/** Compares the length in code points, which is how people count. A far too long value is not counted. */
function hasLength(value: string, min: number, max: number): boolean {
  if (value.length > 2 * max) return false;
  // A code point has one or two units.
  if (value.length <= max && value.length >= 2 * min) return true;
  let length = 0;
  for (const _ of value) length += 1;
  return length >= min && length <= max;
}

function isNumberWithin(value: string, bounds: { from: number; to: number; digits: number }): boolean {
  if (!/^\d+$/.test(value) || value.length > bounds.digits) return false;
  return Number(value) >= bounds.from && Number(value) <= bounds.to;
}

function isAmount(
  value: string,
  format: { integerDigits: number; decimals: 'optional' | 'mandatory' },
): boolean {
  const [, integer, decimals] = /^(\d+)(\.\d{2})?$/.exec(value) ?? [];
  if (integer === undefined || integer.length > format.integerDigits) return false;
  return decimals !== undefined || format.decimals === 'optional';
}

/** Any year from 1900 to 9999. Except for leap days, a day exists either in every year or in no year. */
function isDayOfAnyYear(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const [year = '', month = '', day = ''] = value.split('-');
  if (day === '29' && month === '02') {
    const number = Number(year);
    return number >= 1900 && number % 4 === 0 && (number % 100 !== 0 || number % 400 === 0);
  }
  return year >= '1900' && isCalendarDate(`2001-${month}-${day}`);
}

function isTimestamp(value: string): boolean {
  const [, day] = timestampShape.exec(value) ?? [];
  return day !== undefined && isCalendarDate(day);
}

function isAbsoluteUrl(value: string): boolean {
  const [, name] = absoluteUrl.exec(value) ?? [];
  return name !== undefined && !dangerousSchemes.has(name.toLowerCase()) && URL.canParse(value);
}
