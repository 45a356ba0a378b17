import { on } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { ReconError } from '../../errors.js';
import { itemOfText } from '../../findings/item-texts.js';
import { OpenItemsWorkbook, type WorkbookFolder } from './open-items-workbook.js';
import { ReportFile, type WrittenFile } from '../folder/report-file.js';
import { ScratchFile } from '../folder/scratch-file.js';
import type { WorkbookAnswer, WorkbookOrder, WorkbookPart } from './workbook-thread.js';

/*
 * The thread that `workbook-thread.ts` starts. It needs memory for what it imports: a file beside it that loads zod
 * would take 11 MB.
 */

// Whoever starts the thread gives it.
const { place, rowLimit } = workerData as WorkbookOrder;
const answer = (given: WorkbookAnswer) => parentPort?.postMessage(given);

try {
  await writeWorkbook();
} catch (thrown) {
  // A class does not survive the way to another thread, but the code of a failure has to. Defects go on as they are.
  if (!(thrown instanceof ReconError)) throw thrown;
  const { code, message } = thrown;
  answer({ failed: { code, message } });
}

async function writeWorkbook(): Promise<void> {
  let scratchFiles = 0;
  let written: WrittenFile | null = null;
  const folder: WorkbookFolder = {
    create: (name) => ReportFile.create(name, place.path, place.fileMode),
    finish: async (file, rows) => {
      written = await file.finish(rows);
    },
    scratch: () => {
      scratchFiles += 1;
      return ScratchFile.create(`${place.path}.scratch-${scratchFiles}`);
    },
  };
  const workbook = new OpenItemsWorkbook(folder, rowLimit);
  for await (const part of parts()) {
    await workbook.write(part.map(itemOfText));
    answer({ done: null });
  }
  await workbook.finish();
  answer({ done: written });
}

async function* parts(): AsyncGenerator<readonly string[]> {
  if (parentPort === null) return;
  for await (const [part] of on(parentPort, 'message') as AsyncIterable<[WorkbookPart]>) {
    if (part === null) return;
    yield part;
  }
}
