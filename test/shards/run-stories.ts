import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { recon } from '../cli/recon.js';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures');

/** The folders of `fixtures/` that are one run. */
export const stories = readdirSync(fixtures).filter((name) =>
  existsSync(path.join(fixtures, name, 'expected.json')),
);

/** What a command said. */
export interface Said {
  readonly code: number;
  readonly document: { readonly error?: { readonly code: string; readonly message: string } | null };
  readonly stderr: string;
}

/** An installation whose data folder is `folder`, on a database. */
export interface StoryInstallation {
  readonly command: (...args: readonly string[]) => Promise<Said>;
  /** Stores the payments of a story. */
  readonly importPayments: () => Promise<Said>;
  /** Takes the files of the story, matches and reports. */
  readonly run: () => Promise<Said>;
  readonly rerun: () => Promise<Said>;
  /** The bytes of every CSV report. */
  readonly reports: () => Record<string, string>;
}

export function installationOf(story: string, url: string, folder: string): StoryInstallation {
  const source = path.join(fixtures, story);
  const environment = { RECON_DATABASE_URL: url, RECON_DATA_DIR: folder };
  const command = async (...args: string[]): Promise<Said> => {
    const { code, stdout, stderr } = await recon([...args, '--json'], { environment });
    const text = stdout.replaceAll(folder, '').trim();
    return { code, stderr, document: (text === '' ? {} : JSON.parse(text)) as Said['document'] };
  };
  const inbound = readdirSync(path.join(source, 'inbound')).map((name) => path.join(source, 'inbound', name));
  return {
    command,
    importPayments: () => command('payments', 'import', path.join(source, 'payments.csv')),
    run: () => command('run', '--as-of', '2026-11-20', ...inbound.flatMap((file) => ['--file', file])),
    rerun: () => command('rerun', '--from', '2026-11-01', '--to', '2026-11-30', '--as-of', '2026-11-20'),
    reports: () => reportsBelow(path.join(folder, 'reports')),
  };
}

/** Runs the whole story, then the same days again as a re-run, and returns everything that must not differ. */
export async function wholeStory(installation: StoryInstallation): Promise<Record<string, unknown>> {
  const said: Pick<Said, 'code' | 'document'>[] = [];
  for (const step of [installation.importPayments, installation.run, installation.rerun]) {
    const { code, document } = await step();
    said.push({ code, document });
  }
  return { said, reports: installation.reports() };
}

/** The server refuses a row of this table when the transaction is committed, not earlier. */
export const refuseAtCommit = (table: string) => `
  create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$;
  create constraint trigger refuse after insert on ${table} deferrable initially deferred
    for each row execute function refuse()`;
export const refuseNoMore = `drop function refuse() cascade`;

/** A record without TxRequestTime gets the moment at which its file was received: now, or before midnight. */
function receivedAt(): RegExp {
  const months = [Date.now() - 86_400_000, Date.now()].map((ms) => new Date(ms).toISOString().slice(0, 8));
  return new RegExp(`;(?:${months.join('|')})\\d\\d [0-9:]{8}\\+0000;`, 'g');
}

function reportsBelow(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.csv'),
  );
  const content = (name: string) =>
    readFileSync(path.join(folder, name), 'utf8').replaceAll(receivedAt(), ';received;');
  return Object.fromEntries(names.sort().map((name) => [name, content(name)]));
}
