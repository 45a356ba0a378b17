/** After this many failed files in a row, the source is at fault, not the files. */
export const failuresInARow = 3;

/**
 * This many files may be fetched while the first of them is still being transferred, so a large file does not delay
 * small ones.
 */
export const filesAhead = 32;
