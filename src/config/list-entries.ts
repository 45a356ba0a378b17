import { closestName } from '../values/closest-name.js';
import type { SettingPath } from './config-document.js';
import { isGroup, type Surrounding } from './read-secret.js';
import { alternatives } from './setting-issues.js';

/**
 * Reports each entry of a list that has the name of an earlier one.
 *
 * @param at the path of the list
 * @param what an entry is, such as `source`
 */
export function reportRepeatedNames(
  entries: readonly unknown[],
  at: SettingPath,
  what: string,
  { problem }: Pick<Surrounding, 'problem'>,
): void {
  const names = entries.map((entry) => (isGroup(entry) ? entry['name'] : undefined));
  names.forEach((name, index) => {
    if (typeof name === 'string' && names.indexOf(name) < index) {
      problem([...at, index, 'name'], `another ${what} has this name already`);
    }
  });
}

/**
 * Reports a protocol that does not exist.
 *
 * @param given the protocol as it was written
 * @param at the path of the entry
 * @returns the one that was probably meant; undefined if none is similar
 */
export function reportProtocol<Protocol extends string>(
  given: unknown,
  protocols: readonly Protocol[],
  at: SettingPath,
  { problem }: Pick<Surrounding, 'problem'>,
): Protocol | undefined {
  const name = typeof given === 'string' ? closestName(given, protocols) : undefined;
  const guess = protocols.find((each) => each === name);
  const sentence = `must be ${alternatives(protocols)}${guess === undefined ? '' : ` (did you mean ${guess}?)`}`;
  problem([...at, 'protocol'], given === undefined ? `is missing; it ${sentence}` : sentence);
  return guess;
}
