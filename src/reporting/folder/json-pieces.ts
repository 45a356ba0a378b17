/** Characters of a piece, about. */
const pieceLength = 256 * 1024;

/**
 * A document as `JSON.stringify` writes it with two blanks, and a line feed at the end, in pieces: a long list in it is
 * never one text. A list may be anything that can be iterated, such as one whose entries are made when they are read.
 */
export function* jsonPieces(document: object): Generator<string> {
  let piece = '';
  for (const text of textsOf(document, '')) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n`;
}

/** Objects are taken apart, and lists into their entries. An entry is one text. */
function* textsOf(value: unknown, indent: string): Generator<string> {
  const inner = `${indent}  `;
  if (typeof value !== 'object' || value === null) {
    yield JSON.stringify(value);
    return;
  }
  let isEmpty = true;
  if (isIterable(value)) {
    for (const entry of value) {
      yield `${isEmpty ? '[' : ','}\n${inner}${JSON.stringify(entry, null, 2).replaceAll('\n', `\n${inner}`)}`;
      isEmpty = false;
    }
    yield isEmpty ? '[]' : `\n${indent}]`;
    return;
  }
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined) continue;
    yield `${isEmpty ? '{' : ','}\n${inner}${JSON.stringify(key)}: `;
    yield* textsOf(each, inner);
    isEmpty = false;
  }
  yield isEmpty ? '{}' : `\n${indent}}`;
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}
