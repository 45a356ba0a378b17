/** One violation. The list of them stands in the answer as `parameterErrors` (design 7). */
export interface ParameterError {
  /** The offending parameter, or the missing one. */
  readonly name: string;
  /** What was sent, secrets hidden or truncated; null when nothing was. */
  readonly value: string | null;
  /** A sentence that begins with the name and holds nothing of the value. */
  readonly message: string;
}
