import { requireWritable } from '../../db/require-writable.js';
import { ReconError } from '../../errors.js';
import type { CommandContext } from '../command-context.js';

/** A few names show what the user may not do. */
const mostNamed = 5;

/**
 * Whether runs may write to the database: every other check only reads, which a standby server and a user with too few
 * rights allow.
 *
 * @throws ReconError DATABASE_FAILED
 */
export async function describeWriting(context: CommandContext): Promise<string> {
  const { sql } = await context.database();
  await requireWritable(sql);
  const [row] = await sql<{ user: string; refused: string[] }[]>`
    select current_user as user,
      array(select c.relname::text from pg_class c
        where c.relkind in ('r', 'p')
          and c.relnamespace = (select relnamespace from pg_class where oid = to_regclass('runs'))
          and not (has_table_privilege(c.oid, 'INSERT') and has_table_privilege(c.oid, 'UPDATE'))
        order by c.relname collate "C") as refused`;
  const refused = row?.refused ?? [];
  if (refused.length > 0) {
    const named = refused.slice(0, mostNamed).join(', ');
    const more = refused.length > mostNamed ? ` and ${refused.length - mostNamed} more` : '';
    throw new ReconError(
      'DATABASE_FAILED',
      `The database user ${row?.user ?? ''} may not write to ${named}${more}. Runs need the user who owns the tables.`,
    );
  }
  return 'the database user may write to every table';
}
