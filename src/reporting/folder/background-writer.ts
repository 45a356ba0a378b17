import type { ReportFile } from './report-file.js';

/** Writes one piece at a time, while the caller makes the next. */
export class BackgroundWriter {
  readonly #report: ReportFile;
  #writing: Promise<void> = Promise.resolve();

  private constructor(report: ReportFile) {
    this.#report = report;
  }

  /** Begins a file with its header. */
  static async begin(report: ReportFile, header: string): Promise<BackgroundWriter> {
    const writer = new BackgroundWriter(report);
    await writer.write(header);
    return writer;
  }

  /** Begins to write once the previous piece is written, and throws if that failed. */
  async write(data: string | Buffer): Promise<void> {
    await this.#writing;
    this.#writing = this.#report.write(data);
    // The next call awaits it; until then a failure must not count as unhandled.
    this.#writing.catch(() => undefined);
  }

  async end(): Promise<void> {
    await this.#writing;
  }
}
