import { WorkbookWriter, type Scratch, type SheetLimits } from '../../src/spreadsheet/workbook-writer.js';

/** Scratch files in memory. */
async function scratch(): Promise<Scratch> {
  const written: Buffer[] = [];
  return Promise.resolve({
    write: (bytes) => Promise.resolve(void written.push(bytes)),
    // eslint-disable-next-line @typescript-eslint/require-await -- there is nothing to wait for in memory
    async *read() {
      yield* written;
    },
  });
}

/** The bytes of a workbook. */
export async function workbookOf(
  fill: (writer: WorkbookWriter) => Promise<void>,
  limits: SheetLimits = { rows: 1_048_576 },
): Promise<Buffer> {
  const writer = new WorkbookWriter(scratch, limits);
  await fill(writer);
  const written: Buffer[] = [];
  await writer.finish({ write: (bytes) => Promise.resolve(void written.push(bytes)) });
  return Buffer.concat(written);
}
