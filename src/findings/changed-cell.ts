/** A value that differs between two files or two runs. */
export interface ChangedCell {
  /** The name of the column, as in the file or the report. */
  readonly column: string;
  /** As text; null where there was no value, or is none now. */
  readonly before: string | null;
  /** As text; null where there is no value now. */
  readonly after: string | null;
}
