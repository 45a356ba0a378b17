/** After this many failed files in a row, the source is at fault, not the files. */
export const failuresInARow = 3;

/** This many files are fetched while the first of them is still on its way: a large one does not hold up small ones. */
export const filesAhead = 32;
