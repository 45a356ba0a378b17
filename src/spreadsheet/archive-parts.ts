import yauzl from 'yauzl';

/** The parts of a ZIP archive in memory. */
export interface ArchiveParts {
  /**
   * The text of a part, piece by piece, with each byte as one character: enough to find what is written in ASCII. A
   * part that does not exist has no pieces.
   *
   * @throws Error if the part is damaged, or longer than the directory of the archive says
   */
  asciiOf(name: string): AsyncGenerator<string>;
}

/** @throws Error if the archive is damaged */
export async function openParts(bytes: Buffer): Promise<ArchiveParts> {
  const archive = await yauzl.fromBufferPromise(bytes, { lazyEntries: true });
  const entries = new Map<string, yauzl.Entry>();
  for await (const entry of archive.eachEntry()) entries.set(entry.fileName, entry);
  return {
    async *asciiOf(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      const stream = await archive.openReadStreamPromise(entry);
      try {
        // Without an encoding a stream gives Buffers.
        for await (const piece of stream as AsyncIterable<Buffer>) yield piece.toString('latin1');
      } finally {
        stream.destroy();
      }
    },
  };
}
