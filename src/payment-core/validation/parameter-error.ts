/** A violation. The response lists all of them as `parameterErrors` (design 7). */
export interface ParameterError {
  /** The invalid or missing parameter. */
  readonly name: string;
  /** The value that was sent, with secrets hidden or truncated; null when none was sent. */
  readonly value: string | null;
  /** A sentence that begins with the name and contains no part of the value. */
  readonly message: string;
}
