import { ReconError } from '../errors.js';
import { showName } from '../remote/file-names.js';
import { counted } from '../values/counted.js';
import { isCurrency } from '../values/currencies.js';
import { formatAmount } from '../values/money.js';

/** The totals that a sender announces for a settlement file (design 4.10). */
export interface AnnouncedTotals {
  /** The name of the sidecar that announces them. */
  readonly sidecar: string;
  /** Rows after the header. */
  readonly records: number;
  /** Sums of the column Amount in hundredths, whatever the Cashflow, by currency. */
  readonly sums: ReadonlyMap<string, bigint>;
}

/** What the settlement file really contains. */
export interface FoundTotals {
  readonly records: number;
  readonly sums: ReadonlyMap<string, bigint>;
  /** Rows without a readable Amount and Currency: they are in `records` and in no sum. */
  readonly unreadable: number;
}

/** A sidecar has a line per currency; a larger file is something else. */
export const largestSidecarBytes = 64 * 1024;

/** How many differences or problems a message lists. */
const mostListed = 12;

/**
 * Reads a sidecar: `Records;3`, then a line such as `EUR;1234.50` for each currency.
 *
 * @throws ReconError FILE_TOTALS_INVALID, which names every wrong line
 */
export function parseTotals(sidecar: string, bytes: Buffer): AnnouncedTotals {
  const problems: string[] = [];
  const sums = new Map<string, bigint>();
  let records: number | undefined;
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === '') return;
    const at = `line ${index + 1}`;
    const [name = '', value = '', ...rest] = line.split(';').map((cell) => cell.trim());
    if (rest.length > 0) problems.push(`${at} has more than two values`);
    else if (name === 'Records') {
      if (records !== undefined) problems.push(`${at} has Records a second time`);
      else if (/^\d{1,15}$/.test(value)) records = Number(value);
      else problems.push(`${at}: Records must be a whole number`);
    } else if (!isCurrency(name)) problems.push(`${at} begins neither with Records nor with a currency`);
    else if (sums.has(name)) problems.push(`${at} has ${name} a second time`);
    else if (/^\d{1,18}\.\d{2}$/.test(value)) sums.set(name, BigInt(value.replace('.', '')));
    else problems.push(`${at}: the sum of ${name} must be an amount with two decimals, such as 1234.50`);
  });
  if (records === undefined && problems.length === 0) problems.push('there is no line with Records');
  if (records === undefined || problems.length > 0) {
    throw new ReconError(
      'FILE_TOTALS_INVALID',
      `The announced totals in ${showName(sidecar)} cannot be read: ${shortened(problems)}. The settlement file was not loaded.`,
    );
  }
  return { sidecar, records, sums };
}

/**
 * Compares what a sender announced with what its file contains.
 *
 * @throws ReconError FILE_TOTALS_DIFFER with every announced value that differs from the file
 */
export function compareTotals(announced: AnnouncedTotals, found: FoundTotals): void {
  const differences = differencesFrom(announced, found);
  if (differences === null) return;
  throw new ReconError(
    'FILE_TOTALS_DIFFER',
    `The file differs from the totals in ${showName(announced.sidecar)}: ${differences} None of its rows was stored.`,
  );
}

/** In which values a file differs from what its sender announced, as sentences; null if it does not. */
export function differencesFrom(announced: AnnouncedTotals, found: FoundTotals): string | null {
  const differences: string[] = [];
  if (announced.records !== found.records) {
    differences.push(
      `${rows(announced.records)} ${announced.records === 1 ? 'is' : 'are'} announced, the file has ${found.records}`,
    );
  }
  const currencies = [...new Set([...announced.sums.keys(), ...found.sums.keys()])].sort();
  for (const currency of currencies) {
    const difference = differenceOfSums(currency, announced.sums.get(currency), found.sums.get(currency));
    if (difference !== null) differences.push(difference);
  }
  if (differences.length === 0) return null;
  const unreadable =
    found.unreadable === 0
      ? ''
      : ` ${rows(found.unreadable)} without a readable Amount and Currency ${found.unreadable === 1 ? 'is' : 'are'} in no sum.`;
  return `${shortened(differences)}.${unreadable}`;
}

function differenceOfSums(
  currency: string,
  announced: bigint | undefined,
  found: bigint | undefined,
): string | null {
  const difference = (found ?? 0n) - (announced ?? 0n);
  if (difference === 0n) return null;
  const promise = announced === undefined ? `no ${currency}` : `${formatAmount(announced)} ${currency}`;
  const fact = found === undefined ? 'none' : `${formatAmount(found)} ${currency}`;
  return `${promise} is announced, the file has ${fact} (difference ${formatAmount(difference)} ${currency})`;
}

function shortened(sentences: readonly string[]): string {
  const left = sentences.length - mostListed;
  return `${sentences.slice(0, mostListed).join('; ')}${left > 0 ? `; and ${left} more` : ''}`;
}

const rows = (count: number) => counted(count, 'row');
