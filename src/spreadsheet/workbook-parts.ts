/**
 * The parts of a workbook beside its sheets (ECMA-376, Office Open XML). They contain no date and no name of a person
 * or program, so that the same sheets give the same bytes.
 */

/** The formats of cells by their place in `styles.xml`. */
export const styles = {
  header: 1,
  headerToFill: 2,
  text: 3,
  date: 4,
  count: 5,
  amount0: 6,
  amount2: 7,
  amount3: 8,
  amount4: 9,
  wrappedText: 10,
} as const;

/** A sheet in the list of the workbook, with the ranges that its filter and its pages have. */
export interface SheetName {
  readonly name: string;
  /** As `A1:D20`. */
  readonly filtered: string;
  /** As `A1:D20`. */
  readonly printed: string;
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const packaging = 'http://schemas.openxmlformats.org/package/2006';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The part with the texts that several cells have. */
export const sharedStringsPath = 'xl/sharedStrings.xml';
/** The part with the sheet of this number, from 1. */
export const sheetPath = (number: number) => `xl/worksheets/sheet${number}.xml`;

/** Every part except sheets and shared texts, in the order in which they are written. */
export function workbookParts(sheets: readonly SheetName[]): readonly { name: string; xml: string }[] {
  return [
    { name: '[Content_Types].xml', xml: contentTypes(sheets.length) },
    {
      name: '_rels/.rels',
      xml: relationships([{ type: 'officeDocument', target: 'xl/workbook.xml' }]),
    },
    { name: 'xl/workbook.xml', xml: workbook(sheets) },
    {
      name: 'xl/_rels/workbook.xml.rels',
      xml: relationships([
        ...sheets.map((_, index) => ({ type: 'worksheet', target: `worksheets/sheet${index + 1}.xml` })),
        { type: 'styles', target: 'styles.xml' },
        { type: 'sharedStrings', target: 'sharedStrings.xml' },
      ]),
    },
    { name: 'xl/styles.xml', xml: stylesXml },
  ];
}

function contentTypes(sheets: number): string {
  const part = (name: string, kind: string) =>
    `<Override PartName="/${name}" ContentType="${contentType}.${kind}+xml"/>`;
  const all = Array.from({ length: sheets }, (_, index) => part(sheetPath(index + 1), 'worksheet'));
  return (
    `${declaration}<Types xmlns="${packaging}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${part('xl/workbook.xml', 'sheet.main')}${all.join('')}${part('xl/styles.xml', 'styles')}${part(sharedStringsPath, 'sharedStrings')}</Types>`
  );
}

function relationships(all: readonly { type: string; target: string }[]): string {
  const each = all.map(
    ({ type, target }, index) =>
      `<Relationship Id="rId${index + 1}" Type="${relations}/${type}" Target="${target}"/>`,
  );
  return `${declaration}<Relationships xmlns="${packaging}/relationships">${each.join('')}</Relationships>`;
}

function workbook(sheets: readonly SheetName[]): string {
  const each = sheets.map(
    ({ name }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  // Spreadsheets look for the filter of a sheet under this name too. The header is printed on each page.
  const names = sheets.flatMap(({ name, filtered, printed }, index) => [
    definedName('_FilterDatabase', index, `'${name}'!${absolute(filtered)}`),
    definedName('Print_Area', index, `'${name}'!${absolute(printed)}`),
    definedName('Print_Titles', index, `'${name}'!$1:$1`),
  ]);
  return (
    `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><bookViews><workbookView/></bookViews>` +
    `<sheets>${each.join('')}</sheets><definedNames>${names.join('')}</definedNames></workbook>`
  );
}

/** A name that spreadsheets know, for one sheet. */
function definedName(
  name: '_FilterDatabase' | 'Print_Area' | 'Print_Titles',
  sheet: number,
  range: string,
): string {
  return `<definedName name="_xlnm.${name}" localSheetId="${sheet}"${name === '_FilterDatabase' ? ' hidden="1"' : ''}>${range}</definedName>`;
}

const absolute = (range: string) => range.replace(/([A-Z]+)(\d+)/g, '$$$1$$$2');

/** Built-in formats have numbers below 164: 49 is text, 3 and 4 are numbers with separators of thousands. */
const formats = {
  text: 49,
  count: 1,
  amount0: 3,
  amount2: 4,
  date: 164,
  amount3: 165,
  amount4: 166,
} as const;

/** At the top of its row, which a wrapped text may make higher than one line. */
const plainCell = (format: number, wraps = false) =>
  `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1">` +
  `<alignment vertical="top"${wraps ? ' wrapText="1"' : ''}/></xf>`;
const headerCell = (fill: number) =>
  `<xf numFmtId="49" fontId="1" fillId="${fill}" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1"/>`;
const solidFill = (colour: string) =>
  `<fill><patternFill patternType="solid"><fgColor rgb="${colour}"/><bgColor indexed="64"/></patternFill></fill>`;

/** In the order of `styles`, after the one that every workbook begins with. */
const cellFormats = [
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>',
  headerCell(2),
  headerCell(3),
  plainCell(formats.text),
  plainCell(formats.date),
  plainCell(formats.count),
  plainCell(formats.amount0),
  plainCell(formats.amount2),
  plainCell(formats.amount3),
  plainCell(formats.amount4),
  plainCell(formats.text, true),
];

const stylesXml =
  `${declaration}<styleSheet xmlns="${main}"><numFmts count="3">` +
  `<numFmt numFmtId="${formats.date}" formatCode="yyyy\\-mm\\-dd"/>` +
  `<numFmt numFmtId="${formats.amount3}" formatCode="#,##0.000"/>` +
  `<numFmt numFmtId="${formats.amount4}" formatCode="#,##0.0000"/></numFmts>` +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  // The first two fills are fixed by the format.
  '<fills count="4"><fill><patternFill patternType="none"/></fill>' +
  `<fill><patternFill patternType="gray125"/></fill>${solidFill('FFE7EBF0')}${solidFill('FFFFF2CC')}</fills>` +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${cellFormats.length}">${cellFormats.join('')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';
