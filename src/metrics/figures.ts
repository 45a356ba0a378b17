import type { Logger } from 'pino';
import type { Sql } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import { dateInZone } from '../values/calendar-date.js';
import {
  readState,
  readWork,
  type FigureSettings,
  type StateFigures,
  type WorkFigures,
} from './read-figures.js';
import type { Sample } from './sample.js';

/** Everything that is read from the database; after a failure, the values that were read last. */
export interface Figures {
  readonly isDatabaseUp: boolean;
  readonly state: (StateFigures & ReadAt) | null;
  readonly work: (WorkFigures & ReadAt) | null;
  /** The gauges of `FigureOptions.counted`. */
  readonly counted?: readonly Sample[];
}

interface ReadAt {
  readonly readAtMs: number;
}

/** What the figures of a process are read from. */
export interface FigureOptions extends FigureSettings {
  readonly sql: Sql;
  readonly logger: Logger;
  readonly clock: () => number;
  /** Counts further gauges in the database; asked as often as the state is read. */
  readonly counted?: () => Promise<readonly Sample[]>;
}

/** The state is not read again for this long: the usual interval of a scrape. */
const stateAgeMs = 15_000;
/** Adding up 600,000 open items takes seconds, so this happens once a minute at most, and only after a change. */
const workAgeMs = 60_000;
/** A deadline may pass without a run or a decision. */
const unchangedWorkAgeMs = 300_000;
/** A scraper gives up after 10 seconds. */
const giveUpAfterMs = 5_000;

/**
 * The figures of a process that stays up. However many scrapers there are, one reading is active at a time. A scrape
 * that would wait too long gets the former values, and `isDatabaseUp` is false.
 */
export class FigureReader {
  readonly #options: FigureOptions;
  #figures: Figures = { isDatabaseUp: false, state: null, work: null, counted: [] };
  #active: Promise<Figures> | undefined;
  #workKey = '';

  constructor(options: FigureOptions) {
    this.#options = options;
  }

  async read(): Promise<Figures> {
    const { state, isDatabaseUp } = this.#figures;
    if (isDatabaseUp && state !== null && isWithin(stateAgeMs, state.readAtMs, this.#options.clock()))
      return this.#figures;
    this.#active ??= this.#readNow().finally(() => (this.#active = undefined));
    const late = { ...this.#figures, isDatabaseUp: false };
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<Figures>((resolve) => {
      timer = setTimeout(() => resolve(late), giveUpAfterMs);
    });
    return Promise.race([this.#active, timeout]).finally(() => clearTimeout(timer));
  }

  async #readNow(): Promise<Figures> {
    const { sql, clock, logger } = this.#options;
    try {
      const state = { ...(await readState(sql, this.#options)), readAtMs: clock() };
      const work = await this.#readWork(state.version);
      const counted = (await this.#options.counted?.()) ?? [];
      this.#figures = { isDatabaseUp: true, state, work, counted };
    } catch (thrown) {
      logger.warn({ err: toReconError(thrown) ?? thrown }, 'The figures for the metrics could not be read.');
      this.#figures = { ...this.#figures, isDatabaseUp: false };
    }
    return this.#figures;
  }

  async #readWork(version: string): Promise<Figures['work']> {
    const { sql, clock, timezone } = this.#options;
    const nowMs = clock();
    // Another day may end a wait.
    const key = `${version} ${dateInZone(nowMs, timezone)}`;
    const { work } = this.#figures;
    const keptForMs = key === this.#workKey ? unchangedWorkAgeMs : workAgeMs;
    if (work !== null && isWithin(keptForMs, work.readAtMs, nowMs)) return work;
    const read = await readWork(sql, this.#options, nowMs);
    this.#workKey = key;
    return { ...read, readAtMs: nowMs };
  }
}

/** A clock that was set back must not keep old values. */
function isWithin(ageMs: number, readAtMs: number, nowMs: number): boolean {
  return nowMs >= readAtMs && nowMs - readAtMs < ageMs;
}
