import type { Schema } from '../described.js';

/** The bodies of the answers of an operation, by status. */
export interface Answers {
  readonly 200: Schema;
  /** Besides `Error`. */
  readonly 400?: Schema;
  /** Of an operation on what the path names, `Error` without it; other operations have no such answer without it. */
  readonly 404?: Schema;
  /** The type of the body of 200; JSON without it. */
  readonly type?: string;
  /** More headers of 200, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
}
