/** A value that differs between two files or two runs. */
export interface ChangedCell {
  readonly column: string;
  readonly before: string | null;
  readonly after: string | null;
}
