import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type YAMLError,
} from 'yaml';

/** A path in the configuration: names, and indexes in lists. */
export type SettingPath = readonly PropertyKey[];

/** A parsed configuration file: its values and their positions. */
export interface ConfigDocument {
  /** Plain values; a setting without a value (`schedule:`) is left out, so its default applies. */
  readonly values: unknown;
  /** Records a problem; it is reported at the position of the setting or, for a missing setting, of its group. */
  readonly problem: (at: SettingPath, sentence: string, place?: 'name' | 'value') => void;
  /** `file:line:column` of a setting, or of the nearest group around it; null if neither is in the file. */
  readonly placeOf: (at: SettingPath) => string | null;
  /** All problems as `file:line:column path: sentence`, in the order of the file. */
  readonly problems: () => string[];
}

/**
 * Reads YAML and replaces `${NAME}` by the environment variable (`$${NAME}` becomes `${NAME}`). Problems never quote a
 * value, because any value may be a secret.
 */
export function readConfigDocument(
  file: string,
  text: string,
  variable: (name: string) => string | undefined,
): ConfigDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const found: { offset: number; text: string }[] = [];
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    // An editor does not count a byte order mark as a column.
    const column = line <= 1 && text.startsWith('\uFEFF') ? col - 1 : col;
    return `${file}:${line || 1}:${Math.max(column, 1)}`;
  };
  const report: Report = (offset, path, sentence) => {
    found.push({ offset, text: `${placeAt(offset)} ${path === '' ? '' : `${path}: `}${sentence}` });
  };
  reportSyntax(document, lines, report);
  const isReadable = found.length === 0;
  const unset = insertVariables(document, variable, (offset, name) =>
    report(offset, '', `the environment variable ${name} is not set`),
  );
  return {
    values: isReadable ? plainValues(document, report) : {},
    problem: (at, sentence, place = 'value') => {
      const offset = offsetOf(document, at, place);
      // Report a variable that is not set once; do not validate its value.
      if (!unset.has(offset)) report(offset, at.map(String).join('.'), sentence);
    },
    // Only the whole document begins at its first character: its settings are found by their values.
    placeOf: (at) => {
      const offset = offsetOf(document, at, 'value');
      return offset === 0 ? null : placeAt(offset);
    },
    problems: () => found.sort((a, b) => a.offset - b.offset).map((each) => each.text),
  };
}

/** Settings given as an object instead of a file: no variables are inserted, and a problem has no line. */
export function settingsDocument(settings: object): ConfigDocument {
  const found: string[] = [];
  return {
    values: withoutNulls(settings),
    problem: (at, sentence) => found.push(`${at.map(String).join('.')}: ${sentence}`),
    placeOf: () => null,
    problems: () => found,
  };
}

type Report = (offset: number, path: string, sentence: string) => void;

/** One mistake causes several parser errors, so only the first of a line is reported. */
function reportSyntax(document: Document.Parsed, lines: LineCounter, report: Report): void {
  const mistakes = [...document.errors, ...document.warnings].map(({ pos, code }) => ({
    offset: pos[0],
    code,
  }));
  visit(document, {
    Alias: (_key, node) => {
      if (node.resolve(document) === undefined)
        mistakes.push({ offset: node.range?.[0] ?? 0, code: 'BAD_ALIAS' });
    },
  });
  const repeated = repeatedSettings(document);
  const reported = new Set<number>();
  for (const { offset, code } of mistakes) {
    const { line } = lines.linePos(offset);
    if (reported.has(line)) continue;
    reported.add(line);
    const first = code === 'DUPLICATE_KEY' ? repeated.get(offset) : undefined;
    if (first === undefined) report(offset, '', sentenceOf(code));
    else {
      const at = lines.linePos(first.offset).line;
      const advice = first.isGroup
        ? `is already a group in line ${at}; write its settings there`
        : `is already set in line ${at}; write it only once`;
      report(offset, first.name, advice);
    }
  }
}

/**
 * Where a setting appears again, with its first place. `recon init` writes every group, so that a group which is pasted
 * from the documentation appears twice: the message must lead to the first one.
 */
function repeatedSettings(
  document: Document.Parsed,
): ReadonlyMap<number, { readonly name: string; readonly offset: number; readonly isGroup: boolean }> {
  const repeated = new Map<number, { name: string; offset: number; isGroup: boolean }>();
  visit(document, {
    Map: (_key, map) => {
      const firsts = new Map<string, { name: string; offset: number; isGroup: boolean }>();
      for (const { key, value } of map.items) {
        if (!isScalar(key) || !key.range) continue;
        const name = String(key.value);
        const first = firsts.get(name);
        if (first !== undefined) repeated.set(key.range[0], first);
        else
          firsts.set(name, { name, offset: key.range[0], isGroup: !isScalar(value) || value.value === null });
      }
    },
  });
  return repeated;
}

/** The parser's messages quote the text, so each kind of mistake has its own message here. */
const sentences: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'a value that begins with * must be written in quotes',
  BAD_DQ_ESCAPE: 'an escape sequence that does not exist; use single quotes for text with backslashes',
  BAD_INDENT:
    'the indentation does not fit, or a bracket before it is not closed: the settings of a group begin in the same column',
  BAD_SCALAR_START: 'a value that begins with @, `, %, | or > must be written in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'the indentation does not fit, here or in the next line, or a value with a colon is not written in quotes',
  DUPLICATE_KEY: 'this setting appears twice',
  MISSING_CHAR:
    'the setting has no colon, its indentation is not that of its neighbours, or a closing quote or bracket is missing before it',
  MULTIPLE_DOCS: 'there may be only one document in the file',
  UNEXPECTED_TOKEN: 'there is unexpected text here; write text with special characters in quotes',
  TAB_AS_INDENT: 'the line begins with a tab: indent it with spaces',
  TAG_RESOLVE_FAILED: 'a value that begins with ! must be written in quotes',
};

function sentenceOf(code: YAMLError['code']): string {
  return sentences[code] ?? `this is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`;
}

/** Returns the offsets of the values that could not be filled in. */
function insertVariables(
  document: Document.Parsed,
  variable: (name: string) => string | undefined,
  report: (offset: number, name: string) => void,
): ReadonlySet<number> {
  const unset = new Set<number>();
  visit(document, {
    Scalar: (key, node) => {
      if (key === 'key' || typeof node.value !== 'string') return;
      node.value = node.value.replace(
        /\$(\$\{\w*\})|\$\{([A-Za-z_]\w*)\}/g,
        (_all, escaped: string | undefined, name: string | undefined) => {
          if (escaped !== undefined || name === undefined) return escaped ?? '';
          const value = variable(name);
          if (value !== undefined) return value;
          const offset = node.range?.[0] ?? 0;
          if (!unset.has(offset)) report(offset, name);
          unset.add(offset);
          return '';
        },
      );
    },
  });
  return unset;
}

function plainValues(document: Document.Parsed, report: Report): unknown {
  try {
    // An alias inside what it stands for has no end here.
    return withoutNulls(document.toJS());
  } catch {
    report(0, '', 'this is not valid YAML (aliases refer to each other too often)');
    return {};
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null && each !== undefined)
      .map(([key, each]) => [key, withoutNulls(each)]),
  );
}

/** The position of a setting in the text, or of the nearest enclosing group. */
function offsetOf(document: Document.Parsed, at: SettingPath, place: 'name' | 'value'): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const [depth, part] of at.entries()) {
    const isLast = depth === at.length - 1;
    if (isAlias(node)) node = node.resolve(document);
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === part);
      next = isLast && place === 'name' ? pair?.key : (pair?.value ?? pair?.key);
    } else if (isSeq(node)) {
      next = node.items[Number(part)];
    }
    if (typeof next !== 'object' || next === null) return offset;
    if ('range' in next && Array.isArray(next.range)) offset = Number(next.range[0]);
    node = next;
  }
  return offset;
}
