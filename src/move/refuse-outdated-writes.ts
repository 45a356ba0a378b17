import type { Tx } from '../db/client.js';
import { migrationSession } from '../db/connect.js';
import { isTableOfRecon } from './table-facts.js';

/** Also the name of each trigger. It is before `require_fence` in the alphabet, so its message comes first. */
const refusal = 'refuse_outdated_write';

/**
 * Lets the database refuse every write to a table of recon from the end of this transaction: a program that has the
 * database open, or that waits for a lock of the move, does not look at the mark again. Migrations still work, because
 * the content may be moved back by a later release.
 */
export async function refuseWrites(tx: Tx): Promise<void> {
  await tx.unsafe(`
    create or replace function public.${refusal}() returns trigger language plpgsql as $$
    begin
      if current_setting('application_name') <> '${migrationSession}' then
        raise exception 'it was moved to %', (select moved_to from public.database_moves order by moved_at desc limit 1)
          using errcode = 'RF005';
      end if;
      return null;
    end $$`);
  const tables = await tx<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${isTableOfRecon(tx)} and c.relkind in ('r', 'p') and c.relname <> 'database_moves'
    order by 1`;
  for (const { name } of tables) {
    await tx.unsafe(`
      create or replace trigger ${refusal} before insert or update or delete or truncate on ${name}
      for each statement execute function public.${refusal}()`);
  }
}

/** Ends what `refuseWrites` began: the content came back. */
export async function acceptWrites(tx: Tx): Promise<void> {
  await tx.unsafe(`drop function if exists public.${refusal}() cascade`);
}
