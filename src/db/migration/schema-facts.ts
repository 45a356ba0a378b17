import type { Sql, Tx } from '../client.js';

/**
 * What a database consists of, as names and states: `index payments_reversals on payments` and its description. Only
 * facts that every supported server version reports in the same way, so the text of definitions is not included.
 */
export type SchemaFacts = Readonly<Record<string, string>>;

/** The tables, columns, indexes, constraints, triggers, functions, types and sequences. */
export async function readSchemaFacts(sql: Sql | Tx): Promise<SchemaFacts> {
  const facts = [...(await readStorage(sql)), ...(await readRules(sql))];
  const entries = facts.map(({ name, detail }) => [name, detail] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

interface Fact {
  readonly name: string;
  readonly detail: string;
}

const ourTables = (sql: Sql | Tx) => sql`
      select c.* from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema$)' and pg_table_is_visible(c.oid)`;

/** Where rows are stored and how they are found. */
async function readStorage(sql: Sql | Tx): Promise<readonly Fact[]> {
  return sql<Fact[]>`
    with tables as (${ourTables(sql)})
      select 'table ' || relname as name,
        case relkind when 'p' then 'partitioned' else 'ordinary' end
          || case relpersistence when 'u' then ', unlogged' else '' end as detail
      from tables
      union all
      select 'part ' || t.relname, 'of ' || p.relname || ' ' || pg_get_expr(t.relpartbound, t.oid)
        || case when i.inhdetachpending then ', being detached' else '' end
      from tables t join pg_inherits i on i.inhrelid = t.oid join tables p on p.oid = i.inhparent
      union all
      select 'column ' || t.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod)
        || case when a.attnotnull then ' not null' else '' end
        || case when a.attidentity <> '' then ' identity' when a.attgenerated <> '' then ' generated'
           when a.atthasdef then ' with default' else '' end
      from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      union all
      select 'index ' || c.relname || ' on ' || t.relname,
        case when i.indisunique then 'unique ' else '' end || m.amname || ' ('
        || (select string_agg(coalesce(a.attname, 'expression'), ', ' order by k.place)
            from unnest(i.indkey::int2[]) with ordinality k (attnum, place)
            left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum and k.attnum <> 0) || ')'
        || case when i.indnullsnotdistinct then ' nulls not distinct' else '' end
        || case when i.indpred is null then '' else ' partial' end
        || case when i.indisvalid and i.indisready and i.indislive then '' else ', invalid' end
      from tables t join pg_index i on i.indrelid = t.oid join pg_class c on c.oid = i.indexrelid
      join pg_am m on m.oid = c.relam
      union all
      select 'sequence ' || c.relname, 'of ' || t.relname || '.' || a.attname
      from tables t join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid
        and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
      join pg_class c on c.oid = d.objid and c.relkind = 'S'
      join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid`;
}

/** What the server checks and executes when rows are written. */
async function readRules(sql: Sql | Tx): Promise<readonly Fact[]> {
  return sql<Fact[]>`
    with tables as (${ourTables(sql)})
      select 'constraint ' || k.conname || ' on ' || t.relname as name,
        case k.contype when 'p' then 'primary key' when 'u' then 'unique' when 'f' then 'foreign key'
          when 'c' then 'check' else 'exclusion' end
        || coalesce(' (' || (select string_agg(a.attname, ', ' order by c.place)
            from unnest(k.conkey) with ordinality c (attnum, place)
            join pg_attribute a on a.attrelid = t.oid and a.attnum = c.attnum) || ')', '')
        || coalesce(' references ' || (select relname from pg_class where oid = nullif(k.confrelid, 0)), '')
        || case when k.convalidated then '' else ', not validated' end
        -- From version 18 on.
        || case when to_jsonb(k) ->> 'conenforced' = 'false' then ', not enforced' else '' end
        -- The server checks a reference by triggers; pg_restore --disable-triggers disables them.
        || case when exists (select from pg_trigger g where g.tgconstraint = k.oid and g.tgenabled not in ('O', 'A'))
           then ', disabled' else '' end as detail
      from tables t join pg_constraint k on k.conrelid = t.oid
      -- Version 18 keeps not null here as well, under generated names.
      where k.contype in ('p', 'u', 'f', 'c', 'x')
      union all
      select 'trigger ' || g.tgname || ' on ' || t.relname, 'calls ' || p.proname
        || case when g.tgenabled in ('O', 'A') then '' else ', disabled' end
      from tables t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal join pg_proc p on p.oid = g.tgfoid
      union all
      select 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
        'returns ' || coalesce(pg_get_function_result(p.oid), 'nothing')
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname !~ '^(pg_|information_schema$)' and pg_function_is_visible(p.oid)
        -- Those of an extension belong to the operator.
        and not exists (select from pg_depend d
          where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      union all
      select 'type ' || y.typname, (select string_agg(e.enumlabel, ', ' order by e.enumsortorder)
        from pg_enum e where e.enumtypid = y.oid)
      from pg_type y where y.typtype = 'e' and pg_type_is_visible(y.oid)`;
}
