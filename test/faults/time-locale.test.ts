import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paymentsFile, settlementFile } from '../cli/installation.js';
import { folderContent } from '../reporting/world.js';
import { runCli } from '../support/cli.js';
import { administer, testUrl } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';

/** What the environment of a machine says about time and language, and how its database sorts. */
interface Place {
  readonly TZ: string;
  readonly LANG: string;
  /** How the database sorts and folds its texts. */
  readonly collation: string;
}

const places: readonly Place[] = [
  { TZ: 'UTC', LANG: 'C', collation: `locale 'C'` },
  { TZ: 'Europe/Berlin', LANG: 'de_DE.UTF-8', collation: icu('de-DE') },
  { TZ: 'America/St_Johns', LANG: 'en_US.UTF-8', collation: icu('en-US-u-kn-true') },
  { TZ: 'Asia/Kolkata', LANG: 'tr_TR.UTF-8', collation: icu('tr-TR') },
  { TZ: 'Pacific/Kiritimati', LANG: 'sv_SE.ISO-8859-1', collation: icu('sv-SE') },
  { TZ: 'Pacific/Pago_Pago', LANG: 'ar_EG.UTF-8', collation: icu('ar-EG-u-nu-arab') },
];

function icu(locale: string): string {
  return `locale_provider icu icu_locale '${locale}' locale 'C'`;
}

/** Rows in which order, case, digits and letters of other languages matter, none of them matched. */
const references = ['a10', 'a9', 'A1', 'ä', 'z', 'Z', 'å', 'ı', 'I', 'i', 'İ', 'ch', 'cz', '-', '_', '٣'];
const rows = references.map((reference, index) => ({
  SettlementTxId: `STL-${reference}`,
  ShortId: reference,
  MerchantAccountName: `Geschäft ${reference}`,
  Amount: `${index * 1234}.50`,
  SettlementAmount: `${index * 1234}.50`,
  // The last minute of a day and the first of the next one, as the processor's clock shows them.
  TxRequestTime: index % 2 === 0 ? '2026-11-18 23:59:59' : '2026-11-19 00:00:00',
  SettlementDate: index % 2 === 0 ? '2026-11-18' : '2026-11-19',
}));

const directory = folderForAllTests();
const names = places.map((_, index) => `recon_test_${process.pid}_locale_${index}`);

beforeAll(() => {
  writeFileSync(path.join(directory.path, 'z-first.csv'), settlementFile(1, 2, ...rows));
  writeFileSync(
    path.join(directory.path, 'Ä-second.csv'),
    settlementFile(3, { Currency: 'EURO' }, ...rows.slice(0, 2)),
  );
  writeFileSync(path.join(directory.path, 'payments.csv'), paymentsFile(1, 2, 3, 10, 9));
});

afterAll(async () => {
  for (const name of names) await administer(`drop database if exists ${name} with (force)`);
});

/** Runs and re-runs there; the bytes of every report and what was printed. */
async function reconcileIn({ TZ, LANG, collation }: Place, name: string): Promise<Record<string, string>> {
  await administer(`create database ${name} encoding 'UTF8' template template0 ${collation}`);
  const home = path.join(directory.path, name);
  mkdirSync(home);
  const env = { RECON_DATABASE_URL: testUrl(name), RECON_DATA_DIR: 'data', TZ, LANG, LC_ALL: LANG, PGTZ: TZ };
  const recon = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(args, { env, cwd: home });
    expect(code, stderr).toBeLessThan(2);
    return stdout.replaceAll(home, '');
  };
  await recon('migrate');
  await recon('payments', 'import', '../payments.csv');
  const asOf = ['--as-of', '2026-11-24'];
  const reported = {
    run: await recon('run', '--file', '../z-first.csv', '--file', '../Ä-second.csv', ...asOf),
    rerun: await recon('rerun', '--from', '2026-11-18', '--to', '2026-11-18', ...asOf),
    range: await recon('report', '--from', '2026-11-18', '--to', '2026-11-19'),
    discrepancies: await recon('discrepancies', '--json'),
    payments: await recon('payments', 'export'),
  };
  return { ...reported, ...withoutLogEnd(folderContent(path.join(home, 'data/reports'))) };
}

/** A manifest ends with the end of the audit log, where each event has its time, and with a hash of itself. */
function withoutLogEnd(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      name.endsWith('manifest.json') ? text.replace(/"audit": \{[^]*$/, '') : text,
    ]),
  );
}

describe('F98 time zone, language and collation of the database', () => {
  test('change no byte of what is reported', async () => {
    const contents = [];
    for (const [index, place] of places.entries()) {
      contents.push(await reconcileIn(place, names[index] ?? ''));
    }
    const [first] = contents;
    expect(Object.keys(first ?? {}).length).toBeGreaterThan(18);
    for (const [index, content] of contents.entries()) {
      expect(content, JSON.stringify(places[index])).toEqual(first);
    }
  }, 300_000);
});
