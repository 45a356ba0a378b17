import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'ssh2';
import ssh2 from 'ssh2';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fingerprintOfHostKey, newHostKey } from '../../src/demo/loopback-sftp-server.js';
import { RefusedLogins } from '../../src/remote/refused-logins.js';
import type { SourceSettings } from '../../src/remote/source-settings.js';
import { FetchWorld, failureOf } from '../support/fetch-world.js';
import { startScriptedFtpServer, type ScriptedFtpOptions } from '../support/scripted-ftp-server.js';
import { startSftpServer } from '../support/sftp-server.js';

/**
 * F3: after a password was sent, every end of the login except an acceptance is a refusal. Otherwise a server that
 * delays its answer to a wrong password would get the password once per attempt, and lock the account.
 */
let world: FetchWorld;
beforeEach(() => {
  world = new FetchWorld();
  world.put('a.csv');
});
afterEach(() => world.close());

const shortConnect = { connectTimeoutMs: 1500, stallTimeoutMs: 20_000, password: 'hunter2-wrong' };
const shortStall = { connectTimeoutMs: 20_000, stallTimeoutMs: 1500, password: 'hunter2-wrong' };

async function ftpServer(reply: NonNullable<ScriptedFtpOptions['reply']>) {
  const server = world.closing(await startScriptedFtpServer({ files: { 'a.csv': Buffer.from('a') }, reply }));
  const passwords = () => server.commands.filter((command) => command.startsWith('PASS ')).length;
  return { port: server.port, passwords };
}

const after3Seconds =
  (answer: string): NonNullable<ScriptedFtpOptions['reply']> =>
  async (command) => {
    if (command !== 'PASS') return undefined;
    await sleep(3000);
    return answer;
  };

async function refused(source: SourceSettings) {
  const error = await failureOf(world.fetchAll(source));
  expect(error.code).toBe('SOURCE_AUTHENTICATION');
  expect(error.message).toContain('user merchant');
  expect(error.message).not.toContain('hunter2');
  return error.message;
}

describe('FTP', () => {
  test.each([
    ['connectTimeoutMs', shortConnect],
    ['stallTimeoutMs', shortStall],
  ])('a refusal slower than %s gets the password once', async (_which, timeouts) => {
    const server = await ftpServer(after3Seconds('530 no'));
    expect(await refused(world.ftp(server, timeouts))).toMatch(/no answer within 1.5 s after the password/);
    expect(server.passwords()).toBe(1);
  });

  test('a server that hangs up instead of refusing gets the password once', async () => {
    const server = await ftpServer((command) => (command === 'PASS' ? null : undefined));
    expect(await refused(world.ftp(server, shortConnect))).toMatch(
      /closed the connection after the password/,
    );
    expect(server.passwords()).toBe(1);
  });

  test('a user who is refused without a password is named, and no password is sent', async () => {
    const server = await ftpServer((command) => (command === 'USER' ? '530 no' : undefined));
    expect(await refused(world.ftp(server, shortConnect))).toMatch(/which was not sent \(reply 530\)/);
    expect(server.passwords()).toBe(0);
  });

  test('silence before the password is tried again', async () => {
    let asked = 0;
    const server = await ftpServer(async (command) => {
      if (command !== 'USER') return undefined;
      asked += 1;
      if (asked === 1) await sleep(3000);
      return undefined;
    });
    const source = world.ftp(server, { connectTimeoutMs: 1000 });
    expect((await world.fetchAll(source)).files).toEqual(['a.csv: received']);
    expect(server.passwords()).toBe(1);
  });
});

async function ownServer(serve: (connection: Connection) => void) {
  const key = newHostKey();
  const server = new ssh2.Server({ hostKeys: [key] }, (connection) => {
    connection.on('error', () => undefined);
    serve(connection);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world.closing({ close: () => new Promise<void>((resolve) => void server.close(() => resolve())) });
  const { port } = server.address() as AddressInfo;
  return { port, hostKeyFingerprint: fingerprintOfHostKey(key) };
}

/** A server with a configurable answer to a password; `passwords` counts the passwords that it received. */
async function sftpServer(answer: (connection: Connection) => Promise<boolean>) {
  let passwords = 0;
  const server = await ownServer((connection) =>
    connection.on('authentication', (attempt) => {
      if (attempt.method !== 'password') attempt.reject(['publickey', 'password']);
      else {
        passwords += 1;
        void answer(connection).then((rejects) => {
          if (rejects) attempt.reject(['publickey', 'password']);
        });
      }
    }),
  );
  return { ...server, passwords: () => passwords };
}

describe('SFTP', () => {
  test('a refusal slower than connectTimeoutMs gets the password once', async () => {
    const server = await sftpServer(async () => {
      await sleep(3000);
      return true;
    });
    expect(await refused(world.sftp(server, shortConnect))).toMatch(
      /no answer within 1.5 s after the password/,
    );
    expect(server.passwords()).toBe(1);
  });

  test('a server that hangs up instead of refusing gets the password once', async () => {
    const server = await sftpServer((connection) => {
      connection.end();
      return Promise.resolve(false);
    });
    expect(await refused(world.sftp(server, shortConnect))).toMatch(
      /closed the connection after the password/,
    );
    expect(server.passwords()).toBe(1);
  });

  test('the message about a refusal names the login methods that the server offers', async () => {
    const server = await sftpServer(() => Promise.resolve(true));
    expect(await refused(world.sftp(server, shortConnect))).toMatch(
      /refused user merchant with its password; it offers publickey, password/,
    );
    expect(server.passwords()).toBe(1);
  });

  test('a server that does not accept passwords gets none, and the message says so', async () => {
    const started = world.closing(await startSftpServer(world.remote, { asksQuestions: true }));
    const source = world.sftp(started, { password: null, privateKey: newHostKey() });
    const error = await failureOf(world.fetchAll(source));
    expect(error.message).toMatch(
      /offers keyboard-interactive to user merchant, and the source has a private key/,
    );
  });

  test('a server that wants a password besides the key says so', async () => {
    const server = await ownServer((connection) =>
      connection.on('authentication', (attempt) => {
        if (attempt.method === 'publickey') attempt.reject(['password'], true);
        else attempt.reject(['publickey']);
      }),
    );
    const source = world.sftp(server, { password: null, privateKey: newHostKey() });
    const error = await failureOf(world.fetchAll(source));
    expect(error.code).toBe('SOURCE_AUTHENTICATION');
    expect(error.message).toMatch(
      /accepted the private key of user merchant and asks for password as well, and the source has only a private key/,
    );
  });

  test('a server that accepts the login and does not start SFTP is not called unreachable', async () => {
    const server = await ownServer((connection) =>
      connection
        .on('authentication', (attempt) => {
          if (attempt.method === 'password') attempt.accept();
          else attempt.reject(['password']);
        })
        .on('session', (accept) => accept().on('sftp', (_accept, reject) => reject())),
    );
    const error = await failureOf(world.fetchAll(world.sftp(server)));
    expect(error.code).toBe('SOURCE_UNREACHABLE');
    expect(error.message).toMatch(/accepted the login of user merchant, but did not start SFTP/);
  });

  test('a server that asks twice for the password gets it once', async () => {
    let asked = 0;
    let answered = 0;
    const server = await ownServer((connection) =>
      connection.on('authentication', (attempt) => {
        if (attempt.method !== 'keyboard-interactive') {
          attempt.reject(['keyboard-interactive']);
          return;
        }
        const ask = () => {
          asked += 1;
          attempt.prompt([{ prompt: 'Password: ', echo: false }], () => {
            answered += 1;
            ask();
          });
        };
        ask();
      }),
    );
    const message = await refused(world.sftp(server, shortConnect));
    expect({ asked, answered }).toEqual({ asked: 2, answered: 1 });
    expect(message).toMatch(
      /asked user merchant for another answer .*: the password is wrong or has expired/,
    );
  });

  test.each<[string, { prompt: string; echo: boolean }[], string[], RegExp]>([
    [
      'a password and a hidden code at once',
      [
        { prompt: 'Password: ', echo: false },
        { prompt: 'One-time password: ', echo: false },
      ],
      [],
      /asked user merchant for several answers at once, .* only a password, and did not send it/,
    ],
    [
      'a password and a code that is shown',
      [
        { prompt: 'Password: ', echo: false },
        { prompt: 'Verification code: ', echo: true },
      ],
      ['secret', ''],
      /refused user merchant with its password; .* It asked for several answers at once/,
    ],
    [
      'a code that is shown',
      [{ prompt: 'Verification code: ', echo: true }],
      [''],
      /asked user merchant for an answer that is shown while it is typed, .* and did not send it/,
    ],
  ])('a server that asks for %s is described as such', async (_what, prompts, expected, message) => {
    const answers: string[] = [];
    const server = await ownServer((connection) =>
      connection.on('authentication', (attempt) => {
        if (attempt.method === 'keyboard-interactive')
          attempt.prompt(prompts, (given) => {
            answers.push(...given);
            attempt.reject(['keyboard-interactive']);
          });
        else attempt.reject(['keyboard-interactive']);
      }),
    );
    expect(await refused(world.sftp(server, { password: 'secret' }))).toMatch(message);
    expect(answers).toEqual(expected);
  });

  test.each<[string, boolean, boolean, RegExp]>([
    ['accepted', true, false, /accepted the private key of user merchant and then asked for several answers/],
    [
      'accepted',
      true,
      true,
      /accepted the private key of user merchant and then asked for an answer that is/,
    ],
    ['refused', false, false, /refused the private key of user merchant and then asked for several answers/],
  ])('a question after a key that was %s is described as such', async (_how, isPartial, echo, message) => {
    const prompts = echo ? [{ prompt: 'Code: ', echo }] : ['Password: ', 'Code: '];
    const server = await ownServer((connection) =>
      connection.on('authentication', (attempt) => {
        if (attempt.method === 'publickey') {
          if (attempt.signature === undefined) attempt.accept();
          else attempt.reject(['keyboard-interactive'], isPartial);
        } else if (attempt.method === 'keyboard-interactive')
          attempt.prompt(prompts, () => attempt.reject(['keyboard-interactive']));
        else attempt.reject(['publickey', 'keyboard-interactive']);
      }),
    );
    const source = world.sftp(server, { password: 'secret', privateKey: newHostKey() });
    expect(await refused(source)).toMatch(message);
  });

  test('a login that is accepted after a question that is shown was not refused for it', async () => {
    const server = await ownServer((connection) =>
      connection
        .on('authentication', (attempt) => {
          if (attempt.method === 'keyboard-interactive')
            attempt.prompt([{ prompt: 'Press Enter: ', echo: true }], () => attempt.accept());
          else attempt.reject(['keyboard-interactive']);
        })
        .on('session', (accept) => accept().on('sftp', (_accept, reject) => reject())),
    );
    const error = await failureOf(world.fetchAll(world.sftp(server)));
    expect(error.code).toBe('SOURCE_UNREACHABLE');
    expect(error.message).toMatch(/accepted the login of user merchant, but did not start SFTP/);
  });

  test('a server that asks for a new password gets none, and is not waited for', async () => {
    let given = 0;
    const server = await ownServer((connection) =>
      connection.on('authentication', (attempt) => {
        if (attempt.method !== 'password') {
          attempt.reject(['password']);
          return;
        }
        given += 1;
        attempt.requestChange('Your password has expired.', () => (given += 1));
      }),
    );
    const started = Date.now();
    const message = await refused(world.sftp(server, { connectTimeoutMs: 5000 }));
    expect(Date.now() - started).toBeLessThan(4000);
    expect(message).toMatch(/asked user merchant for a new password .*: the old one has expired/);
    expect(given).toBe(1);
  });
});

describe('several sources of one run', () => {
  test('a login that was refused is not sent for the next source with the same account', async () => {
    const server = await ftpServer((command) => (command === 'PASS' ? '530 no' : undefined));
    const refusedLogins = new RefusedLogins();
    const fetchAs = (name: string, password: string) =>
      failureOf(world.fetchAll(world.ftp(server, { name, folder: `/${name}`, password }), { refusedLogins }));
    await fetchAs('first', 'hunter2-wrong');
    const second = await fetchAs('second', 'hunter2-wrong');
    expect(second.code).toBe('SOURCE_AUTHENTICATION');
    expect(second.message).toMatch(/source second was not tried: .* \(source first\)/);
    expect(server.passwords()).toBe(1);
    // Another password may be the right one.
    await fetchAs('third', 'another');
    expect(server.passwords()).toBe(2);
  });
});
