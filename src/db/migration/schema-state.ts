import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A migration of the program. `when` (ms) is its position in drizzle's order. */
export interface Migration {
  readonly tag: string;
  readonly when: number;
  /** SHA-256 of its text, computed as in drizzle's migrator. */
  readonly hash: string;
}

/** A migration as recorded in the database. */
export type AppliedMigration = Omit<Migration, 'tag'>;

/** How the migrations of a database compare with those of this program. */
export type SchemaState =
  | { readonly state: 'current' }
  /** `empty`: no migration at all was applied. */
  | { readonly state: 'older'; readonly missing: readonly string[]; readonly empty: boolean }
  /** No migration was recorded, but there are tables or types with the names of ours. */
  | { readonly state: 'unrecorded'; readonly found: readonly string[] }
  /** It has migrations that this program does not know. */
  | { readonly state: 'newer' }
  /** The migration was changed after it was applied. */
  | { readonly state: 'edited'; readonly tag: string }
  /** The migration is missing though a later one was applied: drizzle's migrator would skip it silently. */
  | { readonly state: 'out-of-order'; readonly tag: string };

/** Compares the applied migrations with those of the program. Pure. */
export function judgeSchema(applied: readonly AppliedMigration[], known: readonly Migration[]): SchemaState {
  for (const { when, hash } of applied) {
    const own = known.find((migration) => migration.when === when);
    if (own === undefined) return { state: 'newer' };
    if (own.hash !== hash) return { state: 'edited', tag: own.tag };
  }
  const missing = known.filter((migration) => !applied.some(({ when }) => when === migration.when));
  const last = Math.max(0, ...applied.map(({ when }) => when));
  const skipped = missing.find(({ when }) => when < last);
  if (skipped !== undefined) return { state: 'out-of-order', tag: skipped.tag };
  if (missing.length === 0) return { state: 'current' };
  return { state: 'older', missing: missing.map(({ tag }) => tag), empty: applied.length === 0 };
}

/** The migrations of a folder in their order, each with the SHA-256 of its text, by which a database remembers it. */
export function readMigrations(folder: string): Migration[] {
  const journal = JSON.parse(readFileSync(path.join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string; when: number }[];
  };
  return journal.entries.map(({ tag, when }) => {
    const text = readFileSync(path.join(folder, `${tag}.sql`), 'utf8');
    return { tag, when, hash: createHash('sha256').update(text).digest('hex') };
  });
}
