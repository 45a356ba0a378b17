/**
 * A hash of an integer under a seed: random enough to choose with, and always the same. Rows and payments are derived
 * from their numbers with it, so that any of them can be generated without the others.
 */
export function scatterWith(seed: number): (value: number) => number {
  const salt = Math.imul(seed, 0x27d4eb2f) ^ 0x9e3779b9;
  return (value) => {
    let mixed = Math.imul(value ^ salt, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
}

export const hex = (value: number, width: number) => value.toString(16).padStart(width, '0');
export const two = (value: number) => value.toString().padStart(2, '0');
/** 1234 as `12.34`. */
export const amountText = (minor: number) => `${Math.floor(minor / 100)}.${two(minor % 100)}`;
