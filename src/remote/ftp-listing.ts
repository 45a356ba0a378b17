import { parseList, type FileInfo } from 'basic-ftp';
import { ReconError } from '../errors.js';
import { matchesGlob, showName } from './file-names.js';
import { nameFtpSource } from './connect-ftp.js';
import type { FtpSource } from './source-settings.js';

/** Every format has a size, a date and a time before the name, or more. */
const fewestColumns = 4;
const shownCharacters = 100;

/**
 * Reads a listing line by line. The library drops each line that it does not understand, so a file whose date has a
 * month in another language, for example, would be missing silently.
 *
 * @throws ReconError SOURCE_LISTING for an unknown format, and for a line that may name a wanted file
 */
export function readListing(text: string, source: FtpSource): FileInfo[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const read = lines.map(readLine);
  const strange = lines.filter((_line, n) => read[n] === undefined);
  const where = nameFtpSource(source);
  if (strange.length > 0 && strange.length === lines.length)
    throw new ReconError('SOURCE_LISTING', `${where} lists its files in an unknown format.`);
  const wanted = strange.find((line) => mayName(line, source.filePattern));
  if (wanted === undefined) return read.flatMap((entries) => entries ?? []);
  throw new ReconError(
    'SOURCE_LISTING',
    `${where} lists a file in an unknown format, so the listing cannot be used: ${showName(wanted.slice(-shownCharacters))}`,
  );
}

/** Empty for a line that names no file, such as the total; undefined if it is not understood. */
function readLine(line: string): FileInfo[] | undefined {
  try {
    return parseList(withKindInLowerCase(line));
  } catch {
    return undefined;
  }
}

/** The library knows the kinds of MLSD in lower case only, although their case does not count (RFC 3659, 7.5.1). */
function withKindInLowerCase(line: string): string {
  return line.replace(/^((?:[^ ;]*;)*type=)(file|dir|cdir|pdir)(?=;)/i, (kind) => kind.toLowerCase());
}

function mayName(line: string, filePattern: string): boolean {
  return line.trim().split(/\s+/).length >= fewestColumns && matchesGlob(`* ${filePattern}`, line);
}
