import type { CorrectedRows } from '../../intake/corrections/correct-rows.js';
import type { DecidedInBatches } from '../../items/decide.js';
import type { StoredDecision } from '../../items/store-decisions.js';
import { counted } from '../../values/counted.js';
import { moneyAtRisk } from './money-at-risk.js';
import { printable } from './printable.js';

/** At most this many items are named one by one. */
export const namedItems = 20;

/** What `recon decide` prints about corrected rows. */
export function correctedLines({ dryRun, author, corrected, remarks, ...counts }: CorrectedRows): string[] {
  const rows = (count: number) => counted(count, 'row');
  const rest = [
    ...(counts.unchanged === 0 ? [] : [`${rows(counts.unchanged)} unchanged`]),
    ...(counts.alreadyCorrected === 0 ? [] : [`${rows(counts.alreadyCorrected)} corrected before`]),
  ];
  const first = dryRun ? 'Dry run, nothing was stored: ' : '';
  return [
    `${first}${rows(corrected.length)} corrected by ${author}${rest.length === 0 ? '' : `; ${rest.join(', ')}`}.`,
    ...corrected
      .slice(0, namedItems)
      .map(({ file, line, amount, currency, settlementDate }) =>
        printable(`  ${file}:${line}  ${amount} ${currency} of ${settlementDate}`),
      ),
    ...(corrected.length > namedItems ? [`  … and ${corrected.length - namedItems} more`] : []),
    ...(counts.rerun === null || dryRun
      ? []
      : [
          `They become records in the next run, or with: recon rerun --from ${counts.rerun.from} --to ${counts.rerun.to}`,
        ]),
    ...remarks.slice(0, namedItems),
    ...(remarks.length > namedItems
      ? [`… and ${counted(remarks.length - namedItems, 'more row')} like these`]
      : []),
  ];
}

/**
 * What `recon decide` prints about decisions.
 *
 * @param first the decisions to name one by one, at most {@link namedItems}
 * @param nothing says why nothing was decided, if nothing was
 */
export function decidedLines(
  { decided: { dryRun, author, remarks }, sums }: DecidedInBatches,
  first: readonly StoredDecision[],
  nothing: string,
): string[] {
  const { items, atRisk, decisions, pending, rerun } = sums;
  const money = moneyAtRisk(atRisk);
  const heading = `${counted(items, 'item')}${money === '' ? '' : `, ${money}`}`;
  const intro = dryRun ? 'Dry run, nothing was stored: ' : '';
  return [
    `${intro}${heading}; by ${author}.`,
    ...(items === 0 ? [nothing] : []),
    ...first.map((decision) =>
      printable(`  ${decision.item}  ${decisionText(decision)}${subjectText(decision)}`),
    ),
    ...(decisions > namedItems ? [`  … and ${decisions - namedItems} more`] : []),
    ...(pending === 0
      ? []
      : [`${pending} above decisions.fourEyesAbove: open until a second person decides --approve.`]),
    ...(rerun === null || dryRun
      ? []
      : [`Matching changes with the next run, or with: recon rerun --from ${rerun.from} --to ${rerun.to}`]),
    ...remarks,
  ];
}

/** What the item is about, such as ` (AMOUNT_MISMATCH, 10.00 EUR missing)`: an id says nothing to a person. */
function subjectText({ code, atRisk }: StoredDecision): string {
  if (code === null) return '';
  const money = atRisk === null ? '' : moneyAtRisk([missingOrSurplus(atRisk)]);
  return ` (${money === '' ? code : `${code}, ${money}`})`;
}

/** The two directions of a signed amount: negative is money that we hold and should not. */
function missingOrSurplus({ amount, currency }: NonNullable<StoredDecision['atRisk']>) {
  return amount.startsWith('-')
    ? { currency, missing: '0.00', surplus: amount.slice(1) }
    : { currency, missing: amount, surplus: '0.00' };
}

function decisionText({ kind, takesBack, standsAgain }: StoredDecision): string {
  const undone = takesBack === null ? '' : ` of ${takesBack}`;
  if (standsAgain === null) return `${kind}${undone}`;
  const { kind: former, author, decidedOn } = standsAgain;
  return `${kind}${undone}; the ${former} by ${author} of ${decidedOn} stands again`;
}
