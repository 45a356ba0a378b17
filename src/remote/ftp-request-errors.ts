import { FTPError } from 'basic-ftp';
import { ReconError, messageOf, type ErrorCode } from '../errors.js';
import { networkCause } from '../values/network-causes.js';
import { DeadlineExceeded } from './with-deadline.js';

/** The message of the failure that a server listed only a part of a folder. */
export const truncatedListing = 'truncated listing';

/** The library wraps whatever happens before a data connection in this, also the end of the control connection. */
const noDataConnection =
  /^None of the available transfer strategies work.*?'(?:FTPError: (\d{3})|Error: Can't open data connection)/;

/** What was asked of a server. */
interface FtpRequest {
  /** How messages name the server. */
  readonly where: string;
  /** What the server was to do, such as `list /out`. */
  readonly what: string;
  /** The code of a failure that is not about the connection. */
  readonly code: ErrorCode;
}

/** Turns a failure of a request into an error with a message for people; a `ReconError` stays as it is. */
export function requestError(thrown: unknown, { where, what, code }: FtpRequest): unknown {
  if (thrown instanceof ReconError) return thrown;
  const fail = (reason: ErrorCode, sentence: string) => new ReconError(reason, sentence, { cause: thrown });
  if (thrown instanceof FTPError) {
    // 4xx is temporary (a failed data connection, a busy file); a server answers 500 when its child process has ended.
    return thrown.code < 501
      ? fail('SOURCE_UNREACHABLE', `${where} could not ${what} (reply ${thrown.code}).`)
      : fail(code, `${where} could not ${what} (reply ${thrown.code}).`);
  }
  const text = messageOf(thrown);
  if (thrown instanceof DeadlineExceeded || /timeout/i.test(text)) {
    const detail = thrown instanceof DeadlineExceeded ? thrown.message : 'no answer';
    return fail('SOURCE_STALLED', `${where} did not ${what}: ${detail}; no part of it was kept.`);
  }
  if (/another host/.test(text)) {
    return fail(
      'SOURCE_INSECURE',
      `${where} sends data connections to another host, which allowSeparateTransferHost does not allow.`,
    );
  }
  const refused = noDataConnection.exec(text);
  if (refused !== null) {
    const [, reply] = refused;
    const why =
      reply === undefined
        ? 'no data connection could be opened; a firewall may block the ports of passive connections'
        : `it refuses passive data connections, EPSV and PASV (reply ${reply}), and recon uses no others; its operator must allow them`;
    return fail(
      reply?.startsWith('5') === true ? code : 'SOURCE_UNREACHABLE',
      `${where} could not ${what}: ${why}.`,
    );
  }
  if (text === truncatedListing) {
    return fail(
      'SOURCE_LISTING',
      `${where} lists only a part of a folder, so the listing cannot be used. Have old files moved or deleted, or ask its operator to raise the limit of a listing.`,
    );
  }
  if (/Maximum bytes exceeded/.test(text)) return fail(code, `${where} sends a listing that is too long.`);
  const { code: reason } = thrown as { code?: unknown };
  if (typeof reason === 'string' && /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|ISSUER/.test(reason)) {
    return fail(
      'SOURCE_CERTIFICATE',
      `${where} has a certificate that is not accepted: ${networkCause(reason)}.`,
    );
  }
  if (reason === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return fail(
      'SOURCE_INSECURE',
      `${where} could not ${what}: its data connections have no TLS. Its operator must allow PROT P.`,
    );
  }
  return fail('SOURCE_UNREACHABLE', `The connection to ${where} was lost; it could not ${what}.`);
}
