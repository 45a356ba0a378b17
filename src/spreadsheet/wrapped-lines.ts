/**
 * How much narrower than a column its lines are assumed to be, in characters. The width of a column counts digits of
 * the usual font; a program that lacks it takes another font, and capital letters are wider.
 */
const margin = 8;

/**
 * The lines that a text needs in a column of this width: an estimate, and rather one more than one less. Spreadsheets
 * compute the height of a row when somebody edits it, and not every one does when it opens a file.
 */
export function wrappedLines(text: string, columnWidth: number): number {
  const most = Math.max(columnWidth - margin, 1);
  let lines = 1;
  /** What is in the line so far, and how wide the word is that follows. */
  let used = 0;
  let word = 0;
  const endWord = () => {
    const beside = used === 0 ? word : used + 1 + word;
    if (beside <= most) used = beside;
    else {
      // A word that is longer than a line is divided.
      const own = Math.ceil(word / most);
      lines += used === 0 ? own - 1 : own;
      used = word - (own - 1) * most;
    }
    word = 0;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== space && code !== lineFeed) {
      word += isWide(code) ? 2 : 1;
      continue;
    }
    if (word > 0) endWord();
    if (code === lineFeed) {
      lines += 1;
      used = 0;
    }
  }
  if (word > 0) endWord();
  return lines;
}

const space = 32;
const lineFeed = 10;

/** Chinese, Japanese and Korean; the two halves of a picture count as one character each. */
const isWide = (code: number) => code >= 0x1100 && !(code > 0x115f && code < 0x2e80) && code < 0xd800;
