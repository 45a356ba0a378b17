import { styleText } from 'node:util';
import type { Output, Paint, Tone } from '../command-context.js';

const styles = {
  good: 'green',
  bad: 'red',
  doubtful: 'yellow',
  strong: 'bold',
  faint: 'dim',
} as const satisfies Record<Tone, string>;

/** For output that is not a terminal, and where colours are switched off. */
export const plain: Paint = (_tone, text) => text;

/** Colours for a terminal that supports them (not with `NO_COLOR` or `TERM=dumb`); otherwise none. */
export function paintFor(output: Output): Paint {
  if (!hasColours(output)) return plain;
  return (tone, text) => styleText(styles[tone], text);
}

/** Whether the output is a terminal that shows colours. */
export function hasColours(output: Output): boolean {
  return output.isTTY === true && output.hasColors?.() === true;
}
