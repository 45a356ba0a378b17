import { byBytes } from '../../../values/by-bytes.js';
import type { MoneySums } from '../../totals/money-totals.js';
import { html, type Html } from '../html.js';
import type { PageModel } from '../page-model.js';
import {
  countCell,
  moneyCell,
  netCell,
  numeric,
  row,
  rowName,
  table,
  tableBody,
  textCell,
} from '../tables.js';
import { counted } from '../texts.js';

/** The page lists at most this many accounts and days. */
const groupsOnPage = 100;

const movedColumns = [
  numeric('Records'),
  numeric('Gross'),
  numeric('− Refunds'),
  numeric('− Chargebacks'),
  numeric('+ Reversals'),
  numeric('− Fees'),
  numeric('= Net'),
];

/** Totals that tie out with a bank statement or a ledger; what did not move stands apart. */
export function totals({ totals: { money, rejected }, links }: PageModel): Html {
  const nothing = money.byCurrency.length === 0 && rejected.count === 0;
  return html`<section aria-labelledby="totals">
    <h2 id="totals">Totals</h2>
    ${
      nothing
        ? html`<p>No money was settled in this report.</p>`
        : html`<p class="lede">
              Settlement amounts of the records in this report, each counted once. In every row, gross −
              refunds − chargebacks + reversals − fees = net.
              <a href="${links.totals}">${links.totals}</a> has them by file too.
            </p>
            ${movedTable({ caption: 'By currency', links, groups: byKey(money.byCurrency, () => null) })}
            ${unmoved(money.byCurrency, rejected)} ${fees(money.byFeeType, links)}
            ${movedTable({
              caption: 'By merchant account',
              key: 'Merchant account',
              links,
              groups: byKey(money.byMerchantAccount, ({ merchantAccountId }) => ({
                text: merchantAccountId,
                kind: 'key',
              })),
            })}
            ${movedTable({
              caption: 'By settlement date',
              key: 'Settlement date',
              links,
              groups: byKey(money.bySettlementDate, ({ settlementDate }) => ({
                text: settlementDate,
                kind: 'day',
              })),
            })}`
    }
  </section>`;
}

interface Group {
  readonly sums: MoneySums;
  /** What its row is called, and how it is set; null where that is the currency. */
  readonly name: { readonly text: string; readonly kind: string } | null;
}

function byKey<Sums extends MoneySums>(all: readonly Sums[], nameOf: (sums: Sums) => Group['name']): Group[] {
  return all.filter(({ records }) => records > 0).map((sums) => ({ sums, name: nameOf(sums) }));
}

interface MovedTable {
  readonly caption: string;
  /** The name of the first column, unless that is the currency. */
  readonly key?: string;
  readonly groups: readonly Group[];
  readonly links: PageModel['links'];
}

function movedTable({ caption, key, groups, links }: MovedTable): Html | null {
  if (groups.length === 0) return null;
  return html`${table({
    caption,
    columns: [...(key === undefined ? [] : [{ name: key }]), { name: 'Currency' }, ...movedColumns],
    body: tableBody(groups.slice(0, groupsOnPage).map(sumsRow)),
  })}
  ${moreThan(groups, links)}`;
}

function sumsRow({ name, sums }: Group): Html {
  return row([
    ...(name === null
      ? [rowName(sums.currency)]
      : [rowName(html`<span class="${name.kind}">${name.text}</span>`), textCell('Currency', sums.currency)]),
    countCell('Records', sums.records),
    moneyCell('Gross', sums.gross),
    moneyCell('− Refunds', sums.refunds),
    moneyCell('− Chargebacks', sums.chargebacks),
    moneyCell('+ Reversals', sums.reversals),
    moneyCell('− Fees', sums.fees),
    netCell('= Net', sums.net),
  ]);
}

type Rejected = PageModel['totals']['rejected'];

function unmoved(sums: readonly MoneySums[], rejected: Rejected): Html | null {
  const failed = sums
    .filter((each) => each.failed.count > 0)
    .map((each) => ({ what: `${each.currency} FAILED`, ...each.failed }));
  const refused = [...rejected.byCurrency]
    .sort(([a], [b]) => byBytes(a, b))
    .map(([currency, sum]) => ({ what: `${currency} rejected`, ...sum }));
  const rows = [...failed, ...refused];
  if (rows.length === 0 && rejected.unreadable === 0) return null;
  return html`${
    rows.length > 0 &&
    table({
      kind: 'slim',
      caption: html`Not in these sums
        <span class="muted"
          >FAILED settlements and rejected rows: the files state this money, and it did not move.</span
        >`,
      columns: [{ name: 'What' }, numeric('Rows'), numeric('Incoming'), numeric('Outgoing')],
      body: tableBody(
        rows.map(({ what, count: number, pos, neg }) =>
          row([
            rowName(what),
            countCell('Rows', number),
            moneyCell('Incoming', pos),
            moneyCell('Outgoing', neg),
          ]),
        ),
      ),
    })
  }
  ${
    rejected.unreadable > 0 &&
    html`<p class="more">${counted(rejected.unreadable, 'rejected row')} without a readable amount.</p>`
  }`;
}

function fees(types: PageModel['totals']['money']['byFeeType'], links: PageModel['links']): Html | null {
  if (types.length === 0) return null;
  return html`${table({
    kind: 'slim',
    caption: html`Fee records
      <span class="muted"
        >Part of the fees above; the rest is the SettlementFee of other records. BATCH is charged for a
        payout, MONTHLY, SUBMERCHANT and PAYMENT_FACILITATOR for an account, the others for a payment.</span
      >`,
    columns: [{ name: 'Type' }, { name: 'Currency' }, numeric('Records'), numeric('Fees')],
    body: tableBody(
      types
        .slice(0, groupsOnPage)
        .map((sums) =>
          row([
            rowName(sums.paymentType),
            textCell('Currency', sums.currency),
            countCell('Records', sums.records),
            moneyCell('Fees', sums.feeRecords),
          ]),
        ),
    ),
  })}
  ${moreThan(types, links)}`;
}

/** How many groups of a table are left out, and where they are. */
function moreThan(groups: readonly unknown[], links: PageModel['links']): Html | null {
  const rest = groups.length - groupsOnPage;
  if (rest <= 0) return null;
  return html`<p class="more">
    ${counted(rest, 'more is', 'more are')} in <a href="${links.totals}">${links.totals}</a>.
  </p>`;
}
