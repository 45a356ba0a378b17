import type { ConnectorAnswer } from '../connectors/connector.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';
import { noCodes, type CodeRemover } from '../secrets/security-codes.js';

/**
 * A connector's texts may quote the request. Card numbers in them, and the account numbers of the request, are
 * truncated before they are stored, and its security codes are removed. In the connector's references, only the account
 * numbers of the request are truncated: one in twenty of the numeric references looks like a card number by chance, and
 * an altered reference no longer matches anything. A reference that is a security code and nothing else is left out. In
 * a redirect, a short code may be there by chance, such as the number of a currency, and must reach the bank.
 *
 * @param cut `cutterOf` the parameters of the request
 * @param codes `codeRemoverOf` the same parameters
 */
export function maskAnswer(
  answer: ConnectorAnswer,
  cut: (text: string) => string = unchanged,
  codes: CodeRemover = noCodes,
): ConnectorAnswer {
  const ofPeople = (text: string) => maskCardNumbers(codes.fromText(cut(text)));
  const ofPrograms = (text: string) => codes.fromData(cut(text));
  const maskOf = (name: string) => {
    if (references.has(name)) return ofPrograms;
    if (name === 'redirect') return (text: string) => maskCardNumbers(ofPrograms(text));
    // Everything else is a code of a catalogue, or a number.
    return texts.has(name) ? ofPeople : maskCardNumbers;
  };
  const masked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(answer)) {
    const kept: unknown = references.has(name) ? withoutCodes(value, codes) : value;
    if (kept !== undefined) masked[name] = maskTexts(kept, maskOf(name));
  }
  // Masking changes texts and leaves out members that need not be there, so the shape stays that of the answer.
  return masked as unknown as ConnectorAnswer;
}

const unchanged = (text: string) => text;

const references: ReadonlySet<string> = new Set(['connectorTxIds', 'initialTransactionId']);
const texts: ReadonlySet<string> = new Set(['description', 'resultDetails', 'card']);

function withoutCodes(value: unknown, codes: CodeRemover): unknown {
  if (Array.isArray(value)) return value.filter((one) => typeof one !== 'string' || !codes.isCode(one));
  return typeof value === 'string' && codes.isCode(value) ? undefined : value;
}

function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((part) => maskTexts(part, mask));
  if (typeof value !== 'object' || value === null) return value;
  const masked: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    // A name that quotes a secret cannot be altered: another entry might have the altered name.
    if (mask(name) === name) masked[name] = maskTexts(part, mask);
  }
  return masked;
}
