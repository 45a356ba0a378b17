/** A file with at most so many rows is small: writing it takes less time than waiting for the disk. */
const mostRows = 2_000;

/** Small files in one group. Each needs a buffer of its size, and the server answers one after the other. */
const filesInGroup = 8;

/**
 * Divides files, in their order, into groups that are written at once: up to eight small files, or one large one, for
 * which windows of results and large buffers are kept.
 */
export function groupsOf<T extends { readonly rows_total: number }>(files: readonly T[]): T[][] {
  const groups: T[][] = [];
  let group: T[] = [];
  for (const file of files) {
    const isLarge = file.rows_total > mostRows;
    if (group.length > 0 && (isLarge || group.length === filesInGroup)) {
      groups.push(group);
      group = [];
    }
    if (isLarge) groups.push([file]);
    else group.push(file);
  }
  if (group.length > 0) groups.push(group);
  return groups;
}
