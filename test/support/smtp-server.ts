import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { deferred } from './deferred.js';
import { usualCertificate } from './self-signed-certificate.js';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | null;
  readonly isEncrypted: boolean;
  /** As sent. */
  readonly text: string;
}

/** A mail server on loopback that keeps what it receives. It is closed at the end of the test. */
export async function startSmtpServer(
  options: { tls: 'starttls' | 'implicit' | 'none'; password?: string } = { tls: 'none' },
): Promise<{
  port: number;
  mails: ReceivedMail[];
  refuse: (isRefused: boolean) => void;
  /** From now on it answers no sender until it is released; `reached` when the first one waits. */
  hold: () => { reached: Promise<void>; release: () => void };
}> {
  const mails: ReceivedMail[] = [];
  let isRefused = false;
  let held: { reached: () => void; released: Promise<void> } | undefined;
  const { cert, key } = usualCertificate();
  const server = new SMTPServer({
    ...{ cert, key, secure: options.tls === 'implicit', logger: false },
    disabledCommands: [
      ...(options.tls === 'starttls' ? [] : ['STARTTLS']),
      ...(options.password === undefined ? ['AUTH'] : []),
    ],
    authOptional: options.password === undefined,
    onAuth: ({ username, password }, _session, done) => {
      if (password === options.password) done(null, { user: username });
      else done(new Error('refused'));
    },
    onMailFrom: (_address, _session, done) => {
      const answer = () =>
        done(
          isRefused ? Object.assign(new Error('busy\u202e password=hunter2'), { responseCode: 451 }) : null,
        );
      held?.reached();
      void (held?.released ?? Promise.resolve()).then(answer);
    },
    onData: (stream, session, done) => {
      let text = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const user: unknown = session.user;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: typeof user === 'string' ? user : null,
          isEncrypted: session.secure,
          text,
        });
        done();
      });
    },
  });
  // A client that does not accept the certificate closes the connection.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => new Promise((resolve) => server.close(resolve)));
  // It listens on TCP.
  const { port } = server.server.address() as AddressInfo;
  const hold = () => {
    const [reached, released] = [deferred(), deferred()];
    held = { reached: reached.resolve, released: released.promise };
    return { reached: reached.promise, release: released.resolve };
  };
  return { port, mails, refuse: (value) => (isRefused = value), hold };
}
