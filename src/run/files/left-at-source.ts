/** A stored file that is still in the folder of its source, although `afterSuccess` says otherwise. */
export interface LeftFile {
  readonly source: string;
  /** One sentence, which names the file. */
  readonly why: string;
}

/**
 * A sentence for each source with files that could not be moved or deleted, for a person. The files are stored, so the
 * exit code does not show them. Pure.
 */
export function leftFilesNotices(left: readonly LeftFile[]): string[] {
  return [...new Set(left.map(({ source }) => source))].map((source) => {
    const [first, ...more] = left.filter((each) => each.source === source);
    const others =
      more.length === 0
        ? 'The file is stored'
        : `The same holds for ${more.length} other ${more.length === 1 ? 'file' : 'files'}. The files are stored`;
    return `afterSuccess of source ${source} was not done: ${first?.why ?? ''} ${others}, and the next run tries again.`;
  });
}
