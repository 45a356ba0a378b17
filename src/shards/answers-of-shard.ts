import { shardedTables } from './ledger-of-shard.js';

/** The statement with which a shard notes its position, so that each of its results says where it is. */
export const positionOfShard = (position: number): string =>
  `alter table record_matches alter column shard set default ${position}`;

/**
 * How a shard executes what the home server sends, on its own rows. The names of the three tables then mean those of
 * the shard, with the columns that they have on the home server; temporary tables with what the home server sent come
 * first.
 */
export const answersOfShard = (position: number): readonly string[] => [
  // A result is on the shard of its record, whichever payment it names.
  `alter table record_matches add column shard integer not null`,
  positionOfShard(position),
  `create schema of_shard`,
  `do $$
  declare
    written text;
    columns text;
  begin
    foreach written in array array[${shardedTables.map(({ onShard }) => `'${onShard}'`).join(', ')}] loop
      select string_agg(quote_ident(attname), ', ' order by attnum) into columns from pg_attribute
      where attrelid = written::regclass and attnum > 0 and not attisdropped and attname <> 'home_transaction';
      execute format('create view of_shard.%I as select %s from public.%I',
        replace(written, 'settlement_records_1', 'settlement_records'), columns, written);
    end loop;
  end $$`,
  // Always empty, because its trigger keeps no row. What is prepared is done at once, the rest when the answer is read.
  `create table shard_question (shard integer, prepare text, step text, answer text)`,
  `create function take_question() returns trigger language plpgsql set search_path = pg_temp, of_shard, public as $$
  begin
    perform set_config('recon.shard', new.shard::text, true), set_config('client_min_messages', 'warning', true),
      set_config('work_mem', '64MB', true), set_config('recon.step', new.step, true),
      set_config('recon.answer', new.answer, true);
    if new.prepare <> '' then execute new.prepare; end if;
    return null;
  end $$`,
  `create trigger take_question before insert on shard_question for each row execute function take_question()`,
  `create function answer_question() returns setof text language plpgsql set search_path = pg_temp, of_shard, public as $$
  begin
    if current_setting('recon.step') <> '' then execute current_setting('recon.step'); end if;
    return query execute current_setting('recon.answer');
  end $$`,
  `create view shard_answer as select answer from answer_question() as t (answer)`,
];
