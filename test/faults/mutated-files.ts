import { columns, headerLine, type CellType } from '../../src/settlement-file/columns.js';
import { currencies } from '../../src/values/currencies.js';
import { awkwardCells, rowCells } from '../settlement-file/rows.js';
import type { Chance } from '../support/campaign.js';

/**
 * A valid file to which a few things were done, as happens on the way from a sender to us: bytes flipped, cells
 * replaced, lines moved, quotes put wrongly, encodings changed, the end cut off.
 */
export function mutatedFile(chance: Chance): Buffer {
  let bytes: Buffer = Buffer.from(validFile(chance));
  // Some stay as they are: valid files must pass.
  const mutations = chance.integer(0, 3);
  for (let done = 0; done < mutations; done += 1) bytes = chance.pick(mutationsOfAll)(bytes, chance);
  return bytes;
}

/** A file in any of the ways in which a valid one may be written. */
function validFile(chance: Chance): string {
  const lineEnding = chance.pick([() => '\n', () => '\r\n', () => chance.pick(['\n', '\r\n'])]);
  const quotes = chance.pick([
    (cell: string) => (/[";\r\n]/.test(cell) ? quoted(cell) : cell),
    quoted,
    (cell: string) => (/[";\r\n]/.test(cell) || chance.fraction() < 0.2 ? quoted(cell) : cell),
  ]);
  const rows = Array.from({ length: chance.integer(0, 8) }, () => {
    const cells = chance.fraction() < 0.3 ? withNearMiss(rowCells(), chance) : validRow(chance);
    return cells.map(quotes).join(';');
  });
  const header = chance.fraction() < 0.1 ? headerLine.split(';').map(quotes).join(';') : headerLine;
  const text = [header, ...rows].map((line) => `${line}${lineEnding()}`).join('');
  const mark = chance.fraction() < 0.1 ? '\ufeff' : '';
  return mark + (chance.fraction() < 0.2 ? text.replace(/\r?\n$/, '') : text);
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

function validRow(chance: Chance): string[] {
  const cells = rowCells({ SettlementTxId: `STL-${chance.integer(0, 999)}` });
  for (let changes = chance.integer(0, 6); changes > 0; changes -= 1) {
    const position = chance.integer(0, columns.length - 1);
    const column = columns[position];
    if (column !== undefined) cells[position] = validCell(column.type, chance);
  }
  return cells;
}

const characters = ['a', 'Z', '7', ' ', '.', '-', "'", '\\', '=', ',', '"', ';', '\n', '\r\n'];
const foreign = [
  '\u00e4',
  '\u00df',
  '\u0416',
  '\u03a9',
  '\u6f22',
  '\ud83d\ude42',
  '\u0301',
  '\ufffd',
  '\ue000',
];

/** Any value that a column allows, its edges more often than the middle. */
function validCell(type: CellType, chance: Chance): string {
  const digits = (from: number, to: number) =>
    Array.from({ length: chance.integer(from, to) }, () => chance.integer(0, 9)).join('');
  const two = (from: number, to: number) => String(chance.integer(from, to)).padStart(2, '0');
  const id = () => Array.from({ length: 32 }, () => chance.pick(['0', '9', 'a', 'F', 'z'])).join('');
  const day = () =>
    chance.pick([
      '1900-01-01',
      '2000-02-29',
      '2024-02-29',
      '2026-12-31',
      `20${two(0, 99)}-${two(1, 12)}-${two(1, 28)}`,
    ]);
  const text = (choices: readonly string[], min: number, max: number) =>
    Array.from({ length: chance.pick([min, max, chance.integer(min, max)]) }, () =>
      chance.pick(choices),
    ).join('');
  switch (type.kind) {
    case 'enum':
      return chance.pick(type.values);
    case 'text': {
      const choices = chance.pick([characters.slice(0, 3), characters, [...characters, ...foreign]]);
      // A line ending of two characters counts as two.
      return Array.from(text(choices, type.min, type.max))
        .slice(0, type.max)
        .join('')
        .replace(/\r$/, 'x');
    }
    case 'letters':
      return text(['a', 'M', 'Z'], type.min, type.max);
    case 'digits and dots':
      return text(['0', '9', '.'], type.min, type.max);
    case 'identifier':
      return id();
    case 'identifiers':
      return Array.from({ length: chance.integer(1, 3) }, id).join(',');
    case 'amount':
      return chance.pick([
        '0.00',
        '0.01',
        '9999999999.99',
        '0000000001.00',
        `${digits(1, 10)}.${digits(2, 2)}`,
      ]);
    case 'currency':
      return chance.pick([...currencies.keys()]);
    case 'date':
      return day();
    case 'timestamp': {
      const zone = chance.pick([
        '',
        'Z',
        ' Z',
        '+00:00',
        ' -0000',
        '+14:00',
        ' -1400',
        '+05:30',
        `+0${digits(1, 1)}:${two(0, 59)}`,
      ]);
      const fraction = chance.pick(['', '', `.${digits(1, 9)}`]);
      return `${day()} ${two(0, 23)}:${two(0, 59)}:${two(0, 59)}${fraction}${zone}`;
    }
  }
}

const kinds = [...new Set(columns.map(({ type }) => type.kind))];

/** A plain row, as the fast path takes it, with one cell that is just not, or just about, what its column allows. */
function withNearMiss(cells: readonly string[], chance: Chance): string[] {
  // By kind first: there is one time among many texts.
  const kind = chance.pick(kinds);
  const column = chance.pick(columns.filter(({ type }) => type.kind === kind));
  return cells.with(columns.indexOf(column), nearMiss(column.type, chance));
}

function nearMiss(type: CellType, chance: Chance): string {
  const value = validCell(type, chance);
  const at = chance.integer(0, value.length);
  const anywhere = [
    value.slice(0, at) + value.slice(at + 1),
    value.slice(0, at) + chance.pick(['0', '9', 'x', ' ', '.', ',', '-']) + value.slice(at),
    value.slice(0, at) + chance.pick(['0', '9', 'x', ' ', '.', ',', '-']) + value.slice(at + 1),
    value.toLowerCase(),
  ];
  const [hour, minute] = chance.pick([
    ['24', '00'],
    ['23', '60'],
    ['19', '99'],
  ]);
  switch (type.kind) {
    case 'text':
    case 'letters':
    case 'digits and dots':
      return chance.pick([
        'x'.repeat(type.max + 1),
        '7'.repeat(type.max),
        `a${chance.pick(['\u034f', '\u00ad', '\u061c', '\u200b', '\t'])}b`,
        '.'.repeat(type.max),
        '1',
        ...anywhere,
      ]);
    case 'date':
      return chance.pick(['2026-02-29', '2100-02-29', '2026-04-31', '1899-12-31', '2026-00-10', ...anywhere]);
    case 'timestamp':
      return chance.pick([
        `2026-11-18 ${hour}:${minute}:00`,
        '2026-11-18 10:00:60',
        '2026-02-29 10:00:00',
        '2026-11-18 10:00:00.1234567890',
        '2026-11-18 10:00:00+14:01',
        '2026-11-18 10:00:00-15:00',
        ...anywhere,
      ]);
    case 'enum':
    case 'identifier':
    case 'identifiers':
    case 'amount':
    case 'currency':
      return chance.pick(anywhere);
  }
}

type Mutation = (bytes: Buffer, chance: Chance) => Buffer;

/** A place in the bytes; the first lines more often, where header and byte order mark are. */
const place = (bytes: Buffer, chance: Chance) => chance.integer(0, bytes.length);

function spliced(bytes: Buffer, from: number, to: number, put: Buffer | string): Buffer {
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(put), bytes.subarray(to)]);
}

const bytesChanged: readonly Mutation[] = [
  (bytes, chance) => {
    const at = place(bytes, chance);
    return spliced(bytes, at, at + 1, Buffer.from([chance.integer(0, 255)]));
  },
  (bytes, chance) => {
    const at = place(bytes, chance);
    return spliced(bytes, at, at, Buffer.from([chance.integer(0, 255)]));
  },
  (bytes, chance) => {
    const at = place(bytes, chance);
    return spliced(bytes, at, at + chance.pick([1, 2, 30, 400]), '');
  },
  (bytes, chance) => {
    const at = place(bytes, chance);
    return spliced(bytes, at, at, bytes.subarray(at, at + chance.pick([1, 2, 30, 400])));
  },
  // Cut short, as by a connection that ended.
  (bytes, chance) => bytes.subarray(0, place(bytes, chance)),
];

/** Latin-1 keeps every byte, so text can be changed and only what was meant to change does. */
function asText(change: (text: string, chance: Chance) => string): Mutation {
  return (bytes, chance) => Buffer.from(change(bytes.toString('latin1'), chance), 'latin1');
}

const inLatin1 = (text: string) => Buffer.from(text).toString('latin1');

const cellsChanged: readonly Mutation[] = [
  asText((text, chance) => replacedPart(text, ';', chance, () => inLatin1(chance.pick(awkwardCells)))),
  asText((text, chance) => replacedPart(text, ';', chance, (cell) => quoted(cell))),
  asText((text, chance) => replacedPart(text, ';', chance, (cell) => `${cell};${cell}`)),
  asText((text, chance) => replacedPart(text, ';', chance, (cell) => ` ${cell} `)),
  asText((text, chance) => replacedPart(text, ';', chance, (cell) => cell.toLowerCase())),
];

const linesChanged: readonly Mutation[] = [
  asText((text, chance) => replacedPart(text, '\n', chance, (line) => `${line}\n${line}`)),
  asText((text, chance) => replacedPart(text, '\n', chance, () => '')),
  asText((text, chance) => replacedPart(text, '\n', chance, (line) => `${line}\r`)),
  asText((text, chance) => replacedPart(text, '\n', chance, (line) => line.split('').reverse().join(''))),
  asText((text, chance) => replacedPart(text, '\n', chance, (line) => `${line}\n\r\n\n`)),
  asText((text, chance) => replacedPart(text, '\n', chance, (line) => `TOTAL;1;2\n${line}`)),
  asText((text, chance) => `${text}${'\n'.repeat(chance.integer(1, 3))}`),
  asText((text, chance) => text.replaceAll('\n', chance.pick(['\r', '\n\r', '\n\n', '\u000b', '\u0085']))),
  asText((text, chance) => text.replaceAll(';', chance.pick([',', '\t', ';;', ' ; ']))),
];

const quotesChanged: readonly Mutation[] = [
  (bytes, chance) => {
    const at = place(bytes, chance);
    return spliced(bytes, at, at, chance.pick(['"', '""', '";', ';"', '"\n', '"\r\n"', '";"']));
  },
  asText((text, chance) => replacedPart(text, '"', chance, (part) => `${part}"`)),
  // One quote less.
  asText((text, chance) => {
    const at = text.indexOf('"', chance.integer(0, text.length));
    return at === -1 ? text : text.slice(0, at) + text.slice(at + 1);
  }),
];

const encodingsChanged: readonly Mutation[] = [
  (bytes) => Buffer.from(bytes.toString(), 'latin1'),
  (bytes) => Buffer.from(bytes.toString(), 'utf16le'),
  // Text that was taken for Latin-1 and encoded again.
  (bytes) => Buffer.from(bytes.toString('latin1')),
  (bytes, chance) => {
    const at = place(bytes, chance);
    const sequences = [
      ...[[0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xfe], [0xff], [0x80], [0xe2, 0x82]],
      ...[
        [0xef, 0xbb, 0xbf],
        [0x00],
        [0xc2, 0xa0],
        [0xe2, 0x80, 0x8b],
        [0xef, 0xbf, 0xbd],
        [0xf0, 0x9f, 0x99, 0x82],
      ],
    ];
    return spliced(bytes, at, at, Buffer.from(chance.pick(sequences)));
  },
  (bytes) => spliced(bytes, 0, 0, '\ufeff'),
];

const mutationsOfAll: readonly Mutation[] = [
  ...bytesChanged,
  // Twice as often: most of what goes wrong is in a cell.
  ...cellsChanged,
  ...cellsChanged,
  ...linesChanged,
  ...quotesChanged,
  ...encodingsChanged,
];

/** The text with one of its parts replaced. */
function replacedPart(
  text: string,
  separator: string,
  chance: Chance,
  replace: (part: string) => string,
): string {
  const parts = text.split(separator);
  const at = chance.integer(0, parts.length - 1);
  return parts.with(at, replace(parts[at] ?? '')).join(separator);
}
