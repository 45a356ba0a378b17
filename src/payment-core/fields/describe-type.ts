import { cronOrder, cronRanges } from './cron.js';
import type { FieldType } from './field-type.js';

const range = (min: number, max: number) => (min === max ? `${max}` : `${min}-${max}`);

const lengthOf = (min: number, max: number) => `${range(min, max)} ${max === 1 ? 'character' : 'characters'}`;

/** Describes the valid values in words; completes "must be …". */
export function describeType(type: FieldType): string {
  switch (type.kind) {
    case 'text':
      return type.characters === null
        ? lengthOf(type.min, type.max)
        : `${lengthOf(type.min, type.max)}, ${type.characters.says}`;
    case 'shape':
      return type.says;
    case 'number':
      return `a number from ${type.from} to ${type.to}`;
    case 'amount':
      return type.decimals === 'mandatory'
        ? `1-${type.integerDigits} digits, a dot and 2 decimals, for example 12.00`
        : `1-${type.integerDigits} digits, optionally with a dot and exactly 2 decimals, for example 12.00`;
    case 'enum':
      return type.values.length === 1 ? type.values.join() : `one of ${type.values.join(', ')}`;
    case 'list':
      return `codes separated by commas, each one of ${type.values.join(', ')}`;
    case 'boolean':
      return 'true or false';
    case 'date':
      return 'a day that exists, written yyyy-MM-dd';
    case 'timestamp':
      return type.zoneOffset === 'none'
        ? 'a moment that exists, written yyyy-MM-dd HH:mm:ss'
        : 'a moment that exists, written yyyy-MM-dd HH:mm:ss, optionally with a zone offset such as +0000';
    case 'url':
      return `an absolute URL of ${range(type.min, type.max)} characters`;
    case 'currency':
      return type.anyCase ? 'a currency code of ISO 4217' : 'a currency code of ISO 4217 in capitals';
    case 'country':
      return `a country code of ISO 3166-1 ${type.forms.join(' or ')}${type.anyCase ? '' : ' in capitals'}`;
    case 'cron':
      return cronRanges[type.part].says;
    case 'cron expression':
      return `a cron expression of at most ${type.max} characters with 6 or 7 fields: ${cronOrder}`;
  }
}
