/**
 * Typical damage to a cell after a spreadsheet opened and saved a CSV file. Pure; the patterns apply to texts of any
 * column, the hints to cells that have already failed their column's check.
 */

/** The kind of value that a cell should contain. */
export type CellMeaning = 'reference' | 'last four' | 'amount' | 'date' | 'timestamp' | 'other';

/** Both texts are parts of a sentence: "It looks like <what>: <advice>." */
export interface CellDamage {
  /** `a decimal comma` */
  readonly what: string;
  readonly advice: string;
}

/** `1.23E+31`: a number that a spreadsheet shortened. No reference looks like this, and its digits are lost. */
export const shortenedNumber = /^\d+(?:[.,]\d+)?E\+\d+$/;

/** `#####`, `#NAME?`, `#DIV/0!`, `#N/A`: what a spreadsheet shows instead of a value. */
export const spreadsheetError = /^#(?:#+|[A-Z0-9/]+[!?]|N\/A|NV)$/;

/**
 * `Err:509`, `Fehler:520`, `#ÜBERLAUF!`, `#¡VALOR!`, `#N/D`: what LibreOffice, and spreadsheets in other languages,
 * show instead of the value of a formula. A person types the formula by chance, beginning a remark with `=` or `+`.
 */
export const formulaError =
  /^(?:(?:Err|Error|Errore|Erro|Erreur|Fehler|Fout|Fel) ?:5\d\d|#[¡¿]?[\p{Lu}/0]+[!?]|#N\/[BD]|#I\/T|#Н\/Д)$/u;

/** Fewer digits than the column must have: a spreadsheet treats `0615` as a number and writes `615`. */
export const lostZeros = /^\d{1,3}$/;

const lost = 'the value is lost, so take the file as it was before the spreadsheet';

/** The probable damage to a cell that its column does not allow; undefined if unknown. */
export function damageOf(meaning: CellMeaning, cell: string): CellDamage | undefined {
  if (shortenedNumber.test(cell)) return { what: 'a number that a spreadsheet shortened', advice: lost };
  if (spreadsheetError.test(cell)) return { what: 'an error value of a spreadsheet', advice: lost };
  if (cell !== cell.trim()) return { what: 'a space at its beginning or end', advice: 'remove it' };
  switch (meaning) {
    case 'amount':
      return amountDamage(cell);
    case 'date':
      return dateDamage(cell);
    case 'timestamp':
      return timestampDamage(cell);
    case 'last four':
      if (!lostZeros.test(cell)) return undefined;
      return { what: 'lost leading zeros', advice: `write ${cell.padStart(4, '0')}` };
    case 'reference':
    case 'other':
      return undefined;
  }
}

/** The damage as a sentence for a message; empty if unknown. */
export function damageSentence(meaning: CellMeaning, cell: string): string {
  const damage = damageOf(meaning, cell);
  return damage === undefined ? '' : `It looks like ${damage.what}: ${damage.advice}.`;
}

function amountDamage(cell: string): CellDamage | undefined {
  // Either may be meant, and 1.234 of a dinar entered as 1234.00 is a thousand times too much.
  if (/^\d{1,10}[.,]\d{3}$/.test(cell)) {
    return {
      what: 'three decimals, or a sign between thousands',
      advice: 'ask the sender which amount it is, and write it with 2 decimals',
    };
  }
  if (/^\d{1,3}(?:([.,' \u00a0\u2019\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d{1,2})?$/.test(cell)) {
    return { what: 'thousands separators', advice: 'write digits, a dot and 2 digits only' };
  }
  if (/^\d+,\d{1,2}$/.test(cell)) {
    const [whole = '', part = ''] = cell.split(',');
    return { what: 'a decimal comma', advice: `write ${whole}.${part.padEnd(2, '0')}` };
  }
  if (/^\d{1,10}(?:\.\d?)?$/.test(cell)) {
    const [whole = '', part = ''] = cell.split('.');
    return { what: 'missing decimals', advice: `write ${whole}.${part.padEnd(2, '0')}` };
  }
  // A word without a digit is a cell of another column: there is no number to write instead.
  if (/\d/.test(cell) && /[\p{Sc}]|[A-Za-z]{3}$/u.test(cell))
    return { what: 'an amount with its currency', advice: 'write the number only' };
  return undefined;
}

const isoDay = 'write yyyy-MM-dd';

function dateDamage(cell: string): CellDamage | undefined {
  if (/^\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})(?: .*)?$/.test(cell)) {
    return { what: 'a date in a national format', advice: isoDay };
  }
  if (/^\d{4}-(?:1[3-9]|2\d|3[01])-(?:0[1-9]|1[0-2])\b/.test(cell)) {
    return { what: 'day and month exchanged', advice: isoDay };
  }
  if (/^\d{4}[./]\d{1,2}[./]\d{1,2}\b/.test(cell))
    return { what: 'other separators in a date', advice: isoDay };
  if (/^\d{5}(?:[.,]\d+)?$/.test(cell)) {
    return {
      what: 'the number that a spreadsheet counts days by',
      advice: 'format the column as yyyy-MM-dd',
    };
  }
  return undefined;
}

function timestampDamage(cell: string): CellDamage | undefined {
  const day = dateDamage(cell);
  if (day !== undefined) return day;
  if (/^\d{4}-\d\d-\d\d \d{1,2}:\d\d$/.test(cell)) {
    return { what: 'no seconds', advice: 'a spreadsheet drops them, so write yyyy-MM-dd HH:mm:ss' };
  }
  if (/^\d{4}-\d\d-\d\d$/.test(cell)) return { what: 'no time of day', advice: 'write yyyy-MM-dd HH:mm:ss' };
  return undefined;
}
