import { certificateCauses, networkCauses, notHttp } from '../values/network-causes.js';
import { PrivateAddressError } from './guarded-lookup.js';

const asksForCertificate = 'the receiver asks for a client certificate, which recon does not have';

/** What TLS errors that share the code EPROTO have in common is only their text. */
const protocolErrors: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/alert handshake failure/, `${asksForCertificate}, or accepts none of the ciphers that recon offers`],
  [/alert (bad )?certificate/, asksForCertificate],
];

/** What answers has no TLS, or the two have no version in common. */
const noTls = 'the receiver offers no TLS at this port, or none of version 1.2 or later';

/** Why a notification could not be sent, for people. Without the URL, whose path may be a secret of the receiver. */
export function reasonOfFailure(thrown: NodeJS.ErrnoException): string {
  if (thrown instanceof PrivateAddressError) return thrown.message;
  const code = thrown.code ?? '';
  if (code === 'HPE_HEADER_OVERFLOW') return 'the headers of the answer are too long';
  if (code.startsWith('HPE_')) return `${notHttp} (${code})`;
  return networkCauses[code] ?? reasonOfTls(code, thrown.message) ?? otherReason(code);
}

function reasonOfTls(code: string, message: string): string | undefined {
  if (code === 'EPROTO') {
    const [, known = noTls] = protocolErrors.find(([pattern]) => pattern.test(message)) ?? [];
    return `TLS failed (${known})`;
  }
  const cause = certificateCauses[code];
  if (cause !== undefined) {
    const advice = /SELF_SIGNED|UNABLE_TO/.test(code) ? '; webhooks.caFile can name it' : '';
    return `TLS failed (${code}): ${cause}${advice}`;
  }
  // An alert is what the receiver does not accept about us.
  if (/_ALERT_.*CERTIFICATE/.test(code)) return `TLS failed (${code}): ${asksForCertificate}`;
  return /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code) ? `TLS failed (${code})` : undefined;
}

function otherReason(code: string): string {
  return code === '' ? 'the request failed' : `the request failed (${code})`;
}
