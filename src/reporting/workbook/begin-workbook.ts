import { itemOfText, type TextItem } from '../../findings/item-texts.js';
import { OpenItemsWorkbook, workbookName } from './open-items-workbook.js';
import type { ReportFolder } from '../folder/report-folder.js';
import { WorkbookThread } from './workbook-thread.js';

/** `open-items.xlsx` while it is written, by this thread or another; its bytes are the same. */
export interface BegunWorkbook {
  /** The items of texts (`src/findings/item-texts.ts`), each written before it goes on. */
  taking(texts: AsyncIterable<readonly string[]>): AsyncGenerator<readonly TextItem[]>;
  /** Finishes the file of the report folder. */
  finish(): Promise<void>;
  /** After it, nothing is written any more, finished or not. */
  close(): Promise<void>;
}

/**
 * From this many items on, another thread writes the workbook. It takes 50 to 80 ms of processor time to start and 10
 * to 30 MB of memory, and saves this thread 13 µs for an item.
 */
export const itemsForThread = 20_000;

/**
 * Up to this many items: with 628,000 their rows are written in 10.5 instead of 14 s, for 18 MB more memory. More were
 * not measured, and the memory of a process is limited (docs/performance.md).
 */
const mostItemsForThread = 1_000_000;

interface WorkbookRequest {
  readonly rowLimit: number;
  /** About how many items there will be. */
  readonly expected: number;
  readonly threadStarted: () => void;
}

/** Begins the workbook of a report folder. */
export function beginWorkbook(
  folder: ReportFolder,
  { rowLimit, expected, threadStarted }: WorkbookRequest,
): BegunWorkbook {
  if (expected < itemsForThread || expected > mostItemsForThread) {
    const workbook = new OpenItemsWorkbook(folder, rowLimit);
    return {
      taking: (texts) => takingItems(texts, (items) => workbook.write(items)),
      finish: () => workbook.finish(),
      close: () => Promise.resolve(),
    };
  }
  const thread = new WorkbookThread({ place: folder.place(workbookName), rowLimit }, threadStarted);
  return {
    taking: (texts) => takingItems(texts, (_items, batch) => thread.write(batch)),
    finish: async () => {
      folder.add(await thread.finish());
    },
    close: () => thread.close(),
  };
}

async function* takingItems(
  texts: AsyncIterable<readonly string[]>,
  write: (items: readonly TextItem[], texts: readonly string[]) => Promise<void>,
): AsyncGenerator<readonly TextItem[]> {
  for await (const batch of texts) {
    const items = batch.map(itemOfText);
    await write(items, batch);
    yield items;
  }
}
