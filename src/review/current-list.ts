import type { Logger } from 'pino';
import type { Sql } from '../db/client.js';
import type { Database } from '../db/connect.js';
import { toReconError } from '../db/database-errors.js';
import { messageOf } from '../errors.js';
import type { ItemView } from '../items/item-rows.js';
import { fillMarks, fillSortedItems, renewItems, type SortedKind } from '../items/sorted-items.js';
import { serially } from '../serially.js';

/** The sorted items of the database, kept current while the page is open. */
export interface CurrentList {
  /** Reads the list as it is after all decisions made so far. */
  read<T>(work: (session: Sql) => Promise<T>): Promise<T>;
  state(): ListState;
  close(): Promise<void>;
}

/** What the page says about the list beside its items. */
export interface ListState {
  /**
   * A run has finished, a day has begun or very many items were decided, and the list is being read again; until then
   * it has the former order.
   */
  readonly isRenewed: boolean;
  /** The patterns and suggested links are known. */
  readonly hasMarks: boolean;
}

/** What a list is read from, and in which order. */
export interface ListSurroundings {
  readonly database: Database;
  readonly logger: Logger;
  readonly viewOf: () => ItemView;
  readonly kind: SortedKind;
}

/** Up to this many items everything is found in a moment, so the list is complete when it is first shown. */
const fewItems = 20_000;
/** After more decisions at once, the whole list is read again: renewing 300,000 items took longer than all 600,000. */
const fewDecisions = 20_000n;
/** A page waits this long for a list that is being read again; then it shows the former one. */
const giveUpAfterMs = 1_000;

interface Filled {
  readonly session: Sql;
  readonly view: ItemView;
  /** What the list was read from: it is read again when this changes. */
  readonly version: string;
  readonly hasMarks: boolean;
  /** The latest decision that the list contains. */
  upTo: bigint;
  /** How many requests read it. If another list takes its place, the last of them ends its session. */
  readers: number;
}

/** Opens the list; it is filled when it is read first. */
export function openCurrentList(surroundings: ListSurroundings): CurrentList {
  return new ListKeeper(surroundings);
}

/**
 * Keeps two sessions: one that is read, and one that is being filled to take its place; and a former one until the
 * requests that read it are done.
 */
class ListKeeper implements CurrentList {
  readonly #surroundings: ListSurroundings;
  #current: Filled | undefined;
  #filling: Promise<void> | undefined;
  /** Ends when pages no longer wait for the list that is being filled. */
  #patience: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** How many sessions lost their connection. */
  #lost = 0;
  readonly #renew = serially((filled: Filled, decisions: bigint) => this.#renewOnce(filled, decisions));

  constructor(surroundings: ListSurroundings) {
    this.#surroundings = surroundings;
  }

  state(): ListState {
    return { isRenewed: this.#filling !== undefined, hasMarks: this.#current?.hasMarks ?? false };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#current?.session.end({ timeout: 0 });
  }

  /** Once more with another session if the connection of the first was lost meanwhile: reading changes nothing. */
  async read<T>(work: (session: Sql) => Promise<T>): Promise<T> {
    const lost = this.#lost;
    try {
      return await this.#readOnce(work);
    } catch (thrown) {
      if (this.#lost === lost || this.#isClosed) throw thrown;
      return this.#readOnce(work);
    }
  }

  async #readOnce<T>(work: (session: Sql) => Promise<T>): Promise<T> {
    const { held, decisions } = await this.#hold();
    try {
      if (decisions - held.upTo <= fewDecisions) await this.#renew(held, decisions);
      return await work(held.session);
    } finally {
      held.readers -= 1;
      if (held !== this.#current) await endIfUnread(held);
    }
  }

  /** The current list, counted as read: what takes its place from here on does not end its session. */
  async #hold(): Promise<{ held: Filled; decisions: bigint }> {
    const { database, viewOf } = this.#surroundings;
    const { version, decisions } = await stateOf(database.sql, viewOf());
    if (this.#current === undefined) await this.#fill();
    else if (this.#current.version !== version || decisions - this.#current.upTo > fewDecisions) {
      this.#fillInBackground();
      await Promise.race([this.#filling?.catch(() => undefined), this.#patience]);
    }
    // A connection can be lost at any moment; then another is opened.
    const held = this.#current;
    if (held === undefined) return this.#hold();
    held.readers += 1;
    return { held, decisions };
  }

  #fill(): Promise<void> {
    if (this.#filling === undefined) this.#patience = pause(giveUpAfterMs);
    this.#filling ??= this.#fillOnce(this.#current !== undefined)
      .finally(() => (this.#filling = undefined))
      .then(() => {
        // Of many items the first list has no patterns yet; a complete one follows.
        if (this.#current?.hasMarks === false) this.#fillInBackground();
      });
    return this.#filling;
  }

  #fillInBackground(): void {
    if (this.#isClosed) return;
    this.#fill().catch((thrown: unknown) => {
      if (this.#isClosed) return;
      const why = messageOf(toReconError(thrown) ?? thrown);
      this.#surroundings.logger.warn(`The list could not be read again: ${why}`);
    });
  }

  async #fillOnce(complete: boolean): Promise<void> {
    const { database, kind, viewOf } = this.#surroundings;
    const session = this.#openSession();
    try {
      const view = viewOf();
      const { version, decisions } = await stateOf(database.sql, view);
      const hasMarks = complete || (await isShort(database.sql, kind));
      await fillSortedItems(session, view, kind);
      if (hasMarks && kind === 'unresolved') await fillMarks(session, view);
      await this.#replace({ session, view, version, hasMarks, upTo: decisions, readers: 0 });
    } catch (thrown) {
      await session.end({ timeout: 0 });
      throw thrown;
    }
  }

  async #replace(next: Filled): Promise<void> {
    const former = this.#current;
    this.#current = next;
    if (this.#isClosed) await next.session.end({ timeout: 0 });
    if (former !== undefined) await endIfUnread(former);
  }

  #openSession(): Sql {
    const session: Sql = this.#surroundings.database.openSession(() => {
      this.#lost += 1;
      if (this.#current?.session === session) this.#current = undefined;
      void session.end({ timeout: 0 });
    });
    return session;
  }

  async #renewOnce(filled: Filled, decisions: bigint): Promise<void> {
    if (filled.upTo >= decisions) return;
    const { database, kind } = this.#surroundings;
    const decided = await database.sql<{ item: string }[]>`
      select distinct item from decisions
      where number > ${filled.upTo.toString()} and number <= ${decisions.toString()}`;
    const ids = decided.map(({ item }) => item);
    await filled.session.begin((tx) => renewItems(tx, filled.view, kind, ids));
    filled.upTo = decisions;
  }
}

async function endIfUnread({ session, readers }: Filled): Promise<void> {
  if (readers === 0) await session.end({ timeout: 30 });
}

async function stateOf(sql: Sql, { asOf }: ItemView): Promise<{ version: string; decisions: bigint }> {
  const [row] = await sql<{ runs: string; decisions: bigint }[]>`
    select (select concat_ws(' ', count(finished_at), max(finished_at)) from runs) as runs,
      coalesce((select max(number) from decisions), 0) as decisions`;
  return { version: `${asOf} ${row?.runs ?? ''}`, decisions: row?.decisions ?? 0n };
}

async function isShort(sql: Sql, kind: SortedKind): Promise<boolean> {
  if (kind === 'resolved') return true;
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select from discrepancies where resolved_run is null limit ${fewItems + 1}) d`;
  return (row?.count ?? 0) <= fewItems;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
