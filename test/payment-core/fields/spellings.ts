import type { Field } from '../../../src/payment-core/fields/field.js';
import type { FieldType } from '../../../src/payment-core/fields/field-type.js';

/** Values that a type accepts at its bounds, and values that it refuses, made from the declaration alone. */
export interface Spellings {
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

/** A field's name with its placeholders filled in by the first index, a key, a network. */
export function nameOf(field: Field): string {
  return field.name.replaceAll('[n]', '[0]').replace('[key]', '[SHOPPER_key]').replace('<scheme>', 'schemeA');
}

function textSpellings(type: FieldType & { kind: 'text' }): Spellings {
  const filler = type.characters?.filler ?? 'x';
  const ofLength = (length: number) => filler.repeat(length);
  const invalid = [
    ofLength(type.max + 1),
    `${ofLength(Math.max(type.min, 1))}\u0000`,
    `\ud800${ofLength(type.min)}`,
  ];
  if (type.min > 0) invalid.push(ofLength(type.min - 1));
  // No class of characters has this one.
  if (type.characters !== null) invalid.push(`€${ofLength(Math.max(type.min, 1) - 1)}`);
  const valid = [ofLength(type.min), ofLength(type.max)];
  if (type.characters === null) valid.push('€'.repeat(Math.max(type.min, 1)), '\u{1F600}'.repeat(type.max));
  return { valid, invalid };
}

function amountSpellings(type: FieldType & { kind: 'amount' }): Spellings {
  const most = '9'.repeat(type.integerDigits);
  const whole = ['0', '10', most];
  const optional = type.decimals === 'optional';
  return {
    valid: ['0.00', '1.00', `${most}.99`, ...(optional ? whole : [])],
    invalid: [
      ...[
        '',
        '.50',
        '1.',
        '1.0',
        '1.000',
        '-1.00',
        '+1.00',
        '1,00',
        '1e2',
        ' 1.00',
        '1.00 ',
        '1.00\n',
        '0x1',
        'NaN',
      ],
      ...['1.00.00', '１.００', `${most}9.00`, `${most}9`],
      ...(optional ? [] : whole),
    ],
  };
}

const wrongDates = [
  '',
  '2026-02-30',
  '2026-13-01',
  '2026-1-1',
  '01.02.2026',
  '20260101',
  '2026-01-01 ',
  '2027-02-29',
];
const wrongTimes = ['2026-01-01', '2026-01-01T10:00:00', '2026-01-01 24:00:00', '2026-01-01 10:60:00'];

/** What the type of a field accepts and refuses. */
export function spellingsOf(type: FieldType): Spellings {
  switch (type.kind) {
    case 'text':
      return textSpellings(type);
    case 'shape':
      return {
        valid: [type.example],
        invalid: ['', '€', `${type.example}\n`, ` ${type.example}`, `${type.example}€`],
      };
    case 'number':
      return {
        valid: [String(type.from), String(type.to)],
        invalid: [
          '',
          String(type.from - 1),
          String(type.to + 1),
          '1.5',
          '1e1',
          '-1',
          'x',
          ` ${type.from}`,
          '+5',
        ],
      };
    case 'amount':
      return amountSpellings(type);
    case 'enum':
      return {
        valid: type.values,
        invalid: [
          '',
          'NOT_IN_LIST',
          ...type.values.flatMap((value) => [`${value} `, ` ${value}`, `${value}\n`]),
        ],
      };
    case 'list':
      return {
        valid: [...type.values, type.values.join(','), type.values.slice(0, 2).join(',')],
        invalid: [
          '',
          'ZZ',
          ',',
          `${type.values[0] ?? ''},`,
          `${type.values[0] ?? ''},ZZ`,
          type.values.slice(0, 2).join(', '),
        ],
      };
    case 'boolean':
      return { valid: ['true', 'false'], invalid: ['', 'TRUE', 'True', '1', '0', 'yes', ' true'] };
    case 'date':
      return type.anyYear
        ? {
            valid: ['9999-12-31', '2026-02-28', '2028-02-29'],
            invalid: [...wrongDates, '1899-12-31', '10000-01-01', '2100-02-29'],
          }
        : {
            valid: ['1900-01-01', '2099-12-31', '2028-02-29'],
            invalid: [...wrongDates, '1899-12-31', '2100-01-01'],
          };
    case 'timestamp':
      return {
        valid: [
          '2026-11-19 00:00:00',
          '2026-11-19 23:59:59',
          ...(type.zoneOffset === 'optional'
            ? ['2026-11-19 10:00:00+0000', '2026-11-19 10:00:00 -0530', '2026-11-19 10:00:00+01:00']
            : []),
        ],
        invalid: [
          ...wrongTimes,
          ...wrongDates.map((day) => `${day} 10:00:00`),
          '2026-11-19 10:00:00+2500',
          '2026-11-19 10:00:00 ',
          ...(type.zoneOffset === 'none' ? ['2026-11-19 10:00:00+0000'] : []),
        ],
      };
    case 'url':
      return {
        valid: [
          'https://shop.example/result?a=b',
          'myapp://result',
          `https://shop.example/${'a'.repeat(type.max - 21)}`,
        ],
        invalid: [
          '',
          'shop',
          '/result',
          '//shop.example',
          'shop.example/result',
          'javascript://x/%0aalert(1)',
          'data://x/y',
          'https://',
          'https://shop example/',
          `https://shop.example/${'a'.repeat(type.max - 20)}`,
        ],
      };
    case 'currency':
      return {
        valid: ['EUR', 'JPY', 'KWD', ...(type.anyCase ? ['eur'] : [])],
        invalid: ['', 'EU', 'EURO', 'XYZ', '978', 'EUR ', ...(type.anyCase ? [] : ['eur', 'Eur'])],
      };
    case 'country': {
      const right = { 'alpha-2': 'DE', 'alpha-3': 'DEU', numeric: '276' };
      const accepted = type.forms.map((form) => right[form]);
      return {
        valid: [...accepted, ...(type.anyCase ? accepted.map((code) => code.toLowerCase()) : [])],
        invalid: [
          '',
          'XX',
          'EU',
          'XXX',
          '999',
          '1',
          ...(type.anyCase ? [] : ['de', 'De']),
          ...Object.values(right).filter((code) => !accepted.includes(code)),
        ],
      };
    }
    case 'cron':
      return {
        valid: ['1', '1,2', '*']
          .slice(0, type.part === 'minute' ? 1 : 3)
          .map((text) => (type.part === 'year' ? text.replace(/\d/g, '203$&') : text)),
        invalid: ['x', '-', '1,', '*/0', '99999', ' 1', '1;2', '1'.repeat(65)],
      };
    case 'cron expression':
      return {
        valid: ['0 0 12 1 * ?', '0 0/15 8-18 ? * MON-FRI 2026-2030'],
        invalid: ['', '* * * * *', '0 0 12 1 * ? 2030 1', '0 0 25 1 * ?', 'every day', '0 0 12 1 JAN ?'],
      };
  }
}
