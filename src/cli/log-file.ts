import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

const lineFeed = 10;
const endOfLine = Buffer.from('\n');

/** Whether a descriptor is a file, and not a terminal or a pipe. A closed one is none. */
export function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/**
 * A log in a file. If the disk becomes full in the middle of a line, a file keeps the beginning of this line. Node's
 * stream does not notice that, and appends the next line to it once there is room again, so both could not be read.
 * Here, such a line is ended first. A failure is an event `error`, as of Node's stream, which stays usable too.
 */
export function logFile(descriptor: number): Writable {
  let isCut = false;
  const append = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length;) {
      at += writeSync(descriptor, bytes, at);
      isCut = bytes[at - 1] !== lineFeed;
    }
  };
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        if (isCut) append(endOfLine);
        append(chunk);
      } catch (error) {
        this.emit('error', error);
      }
      done();
    },
  });
}
