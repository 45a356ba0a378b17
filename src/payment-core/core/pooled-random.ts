import { randomBytes } from 'node:crypto';

const portion = 4096;

/**
 * The system's random bytes, fetched in portions: a payment needs five pieces, and each call to the system costs more
 * than the piece. Every byte is given out once.
 */
export function pooledRandom(): (bytes: number) => Buffer {
  let pool = Buffer.alloc(0);
  let given = 0;
  return (bytes) => {
    if (bytes > portion) return randomBytes(bytes);
    if (given + bytes > pool.length) {
      pool = randomBytes(portion);
      given = 0;
    }
    given += bytes;
    return pool.subarray(given - bytes, given);
  };
}
