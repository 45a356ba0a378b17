import { noArchiveKeys } from '../../src/archive/archive-keys.js';
import { Archive } from '../../src/archive/archive.js';

/** The archive below a data folder, which encrypts nothing. */
export const plainArchive = (dataDirectory: string): Archive => new Archive(dataDirectory, noArchiveKeys);

/** Where the archive of a data folder has these bytes when they are not encrypted. */
export const archivePath = (dataDirectory: string, sha256: string): string =>
  plainArchive(dataDirectory).pathOf(sha256);
