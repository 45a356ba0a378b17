/** What the codes of a connection that could not be opened or was lost mean. */
export const networkCauses: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer',
  ETIMEDOUT: 'the connection could not be opened in time',
  ENOTFOUND: 'the name of the host has no address',
  EAI_AGAIN: 'the name server does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  // Codes of fetch.
  UND_ERR_SOCKET: 'the connection was closed before an answer',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be opened in time',
};

const unknownAuthority = 'the authority of the certificate is not trusted';

/** What the codes of a TLS handshake that failed mean, as far as the certificate of the server is the reason. */
export const certificateCauses: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet, or the clock of this machine is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  INVALID_PURPOSE: 'the certificate is not for servers',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
};

/** Of a code of Node's parser, such as `HPE_INVALID_CONSTANT`: a server that speaks only HTTP/2, or something else. */
export const notHttp = 'the answer is not HTTP/1.1';

/** The meaning with the code: `the connection was refused (ECONNREFUSED)`. An unknown code is returned as it is. */
export function networkCause(code: string): string {
  const cause = code.startsWith('HPE_') ? notHttp : (networkCauses[code] ?? certificateCauses[code]);
  return cause === undefined ? code : `${cause} (${code})`;
}
