import * as z from 'zod';

/** The keys of the archive: 64 hexadecimal digits by name. */
export interface ArchiveKeys {
  /** The name of the key that new files are encrypted with; null: they are stored as they are. */
  readonly encryptWith: string | null;
  /** All keys by name: a file that is encrypted is read with the key that it names. */
  readonly keys: Readonly<Record<string, string>>;
}

/** An archive that neither encrypts nor can read what is encrypted. */
export const noArchiveKeys: ArchiveKeys = { encryptWith: null, keys: {} };

/** The names of keys appear in messages and in the first bytes of files. */
const keyName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const keysSchema = z.record(z.string().regex(keyName), z.string().regex(/^[0-9a-fA-F]{64}$/));

/** What a text with keys must be, to follow its name. */
export const keysSentence =
  'must contain keys as JSON such as {"2026": KEY}, where each KEY has 64 hexadecimal digits and each name has letters, digits, dots, hyphens and underscores';

/** The keys in a text such as `{"2026": "64 hexadecimal digits"}`; undefined if it is anything else. */
export function parseArchiveKeys(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const parsed = keysSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
