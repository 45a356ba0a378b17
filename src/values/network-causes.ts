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

/** Of a code of Node's parser, such as `HPE_INVALID_CONSTANT`: a server that speaks only HTTP/2, or something else. */
export const notHttp = 'the answer is not HTTP/1.1';

/** The meaning with the code: `the connection was refused (ECONNREFUSED)`. An unknown code is returned as it is. */
export function networkCause(code: string): string {
  const cause = code.startsWith('HPE_') ? notHttp : networkCauses[code];
  return cause === undefined ? code : `${cause} (${code})`;
}
