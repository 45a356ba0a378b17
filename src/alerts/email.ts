import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { EmailSettings } from '../config/alerts-schema.js';
import { messageOf } from '../errors.js';
import { networkCause, networkCauses } from '../values/network-causes.js';
import type { Alert } from './alert.js';
import { mailTimeoutMs, sendTimeoutMs, type Channel } from './channel.js';
import { composeMail } from './compose.js';

/**
 * Mail over SMTP. The library is loaded when the first mail is sent.
 *
 * @param timeoutMs for the whole mail: a server that keeps sending lines never exceeds the timeouts of the connection
 */
export function emailChannel(settings: EmailSettings, timeoutMs = mailTimeoutMs): Channel {
  return {
    name: 'email',
    isBatch: true,
    send: async (messages) => {
      const alerts = messages.map(({ alert }) => alert);
      const { createTransport } = await import('nodemailer');
      const { host, port, tls, username, password, certificateAuthority, from, to } = settings;
      const transport = createTransport({
        host,
        port,
        secure: tls === 'implicit',
        requireTLS: tls === 'starttls',
        ignoreTLS: tls === 'none',
        ...(username === null ? {} : { auth: { user: username, pass: password ?? '' } }),
        ...(certificateAuthority === null ? {} : { tls: { ca: certificateAuthority } }),
        connectionTimeout: 10_000,
        greetingTimeout: 10_000,
        socketTimeout: sendTimeoutMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        const { subject, text } = composeMail(alerts);
        const { attached, note } = await attachment(alerts, settings);
        const signal = AbortSignal.timeout(timeoutMs);
        // A variable, because the types of the library do not know its option `signal`.
        const mail = { from, to: [...to], subject, text: `${text}${note}`, attachments: attached, signal };
        await transport.sendMail(mail).catch((thrown: unknown) => {
          if (!signal.aborted) throw refusalOf(thrown, settings);
          throw new Error(`the server did not take the mail within ${timeoutMs / 1000} seconds`, {
            cause: thrown,
          });
        });
      } finally {
        transport.close();
      }
    },
  };
}

/** Names the server, and says what a code of the network means: the texts of the library name only the call. */
function refusalOf(thrown: unknown, { host, port }: EmailSettings): Error {
  const text = messageOf(thrown);
  const code = /\bE[A-Z_]{4,}\b/.exec(text)?.[0] ?? '';
  const why = Object.hasOwn(networkCauses, code)
    ? `could not be reached: ${networkCause(code)}`
    : `did not take the mail: ${text}`;
  return new Error(`the server ${host}:${port} ${why}`, { cause: thrown });
}

interface Attachment {
  readonly attached: { readonly filename: string; readonly content: Buffer }[];
  /** Why the report is not attached. */
  readonly note: string;
}

/** The page of the latest run among the alerts. A page that is too large, or gone, is only named. */
async function attachment(
  alerts: readonly Alert[],
  { attachReport, maximumAttachmentBytes }: EmailSettings,
): Promise<Attachment> {
  const page = alerts.findLast((alert) => alert.page !== null)?.page ?? null;
  if (!attachReport || page === null) return { attached: [], note: '' };
  try {
    const { size } = await stat(page);
    if (size > maximumAttachmentBytes) {
      return { attached: [], note: `\nThe report has ${size} bytes and is not attached.\n` };
    }
    const filename = `${path.basename(path.dirname(page))}-${path.basename(page)}`;
    return { attached: [{ filename, content: await readFile(page) }], note: '' };
  } catch {
    return { attached: [], note: '\nThe report cannot be read and is not attached.\n' };
  }
}
