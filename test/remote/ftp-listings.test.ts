import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FtpSource } from '../../src/remote/source-settings.js';
import { FetchWorld, failureOf } from '../support/fetch-world.js';
import {
  startScriptedFtpServer,
  type ScriptedFtpOptions,
  type ScriptedFtpServer,
} from '../support/scripted-ftp-server.js';

/** Listings as servers of other makes send them. */

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

const files = {
  'a.csv': Buffer.from('a'.repeat(1000)),
  'b.csv': Buffer.from('b'),
  'empty.csv': Buffer.alloc(0),
};
const mlsd = ['SIZE', 'MDTM', 'MLST type*;size*;modify*;'];

async function serve(options: Partial<ScriptedFtpOptions>): Promise<ScriptedFtpServer> {
  return world.closing(await startScriptedFtpServer({ files, ...options }));
}

const lines =
  (...each: string[]) =>
  () =>
    each.map((line) => `${line}\r\n`);

const fetch = async (options: Partial<ScriptedFtpOptions>, changes: Partial<FtpSource> = {}) =>
  (await world.fetchAll(world.ftp(await serve(options), changes))).files;

const failed = async (options: Partial<ScriptedFtpOptions>, changes: Partial<FtpSource> = {}) =>
  failureOf(world.fetchAll(world.ftp(await serve(options), changes)));

test('a server that takes the option -a for the name of a folder, and lists nothing, is read', async () => {
  const listing = (argument: string) =>
    argument === '-a' ? [] : ['-rw-r--r-- 1 a a 1000 Jan 1 2026 a.csv\r\n'];
  expect(await fetch({ listing })).toEqual(['a.csv: received']);
});

test('a listing that the server has truncated is not taken for the whole folder', async () => {
  const error = await failed({ listed: () => '226-Options: -l\r\n226 Output truncated to 10000 matches' });
  expect(error).toMatchObject({ code: 'SOURCE_LISTING' });
  expect(error.message).toMatch(/lists only a part of a folder/);
  expect(await fetch({ listed: () => '226-Options: -l\r\n226 3 matches total' })).toHaveLength(3);
});

describe('MLSD', () => {
  const changed = 'modify=20260101000000';

  test('a listing without sizes is not taken for a listing of empty files', async () => {
    const listing = lines(`type=file;${changed}; a.csv`, `type=file;${changed}; b.csv`);
    expect(await fetch({ features: mlsd, listing })).toEqual(['a.csv: received', 'b.csv: received']);
  });

  test('an empty file is received', async () => {
    expect(await fetch({ features: mlsd })).toEqual([
      'a.csv: received',
      'b.csv: received',
      'empty.csv: received',
    ]);
  });

  test('the kind of an entry may be in capitals', async () => {
    const listing = lines(
      `Type=cDir;${changed}; .`,
      `Type=FILE;Size=1000;${changed.toUpperCase()}; a.csv`,
      `size=0;${changed};TYPE=Dir; b.csv`,
    );
    expect(await fetch({ features: mlsd, listing })).toEqual(['a.csv: received']);
  });

  test('an unknown fact is ignored, whatever its name', async () => {
    const listing = lines(`type=file;size=1000;${changed};__proto__=1;constructor=2;toString=3; a.csv`);
    expect(await fetch({ features: mlsd, listing })).toEqual(['a.csv: received']);
  });
});

describe('a line that is not understood', () => {
  const french = '-rw-r--r-- 1 a a 1000 févr. 1 2026 a.csv';
  const readable = '-rw-r--r-- 1 a a 1 mai 1 2026 b.csv';

  test.each([
    ['a name of a month with four letters', french],
    ['a file that the server could not look at', '-????????? ? ? ? ? ? a.csv'],
    ['a size with separators', '01-01-26  12:00AM        1,000 a.csv'],
  ])('fails the listing if it may name a wanted file: %s', async (_what, line) => {
    for (const listing of [lines(line, readable), lines(readable, line)]) {
      const error = await failed({ listing });
      expect(error).toMatchObject({ code: 'SOURCE_LISTING' });
      expect(error.message).toMatch(/a\.csv/);
    }
    expect(world.archived()).toEqual([]);
  });

  test('is ignored if it names none', async () => {
    const listing = lines('insgesamt 8', 'Directory of /outgoing', readable, 'x '.repeat(40), french);
    expect(await fetch({ listing }, { filePattern: 'b*' })).toEqual(['b.csv: received']);
  });

  test('is not taken for an empty folder if there is no other', async () => {
    const error = await failed({ listing: lines('A.CSV;1  2/4  8-SEP-2026 12:00 [G,U] (RWED,RWED,R,)') });
    expect(error).toMatchObject({ code: 'SOURCE_LISTING' });
    expect(error.message).toMatch(/unknown format/);
  });

  test('is found in either order of formats', async () => {
    const listing = lines('01-01-26  12:00AM  <DIR>  done', '01-01-26  12:00AM  1000 a.csv', 'total 2');
    expect(await fetch({ listing })).toEqual(['a.csv: received']);
  });
});
