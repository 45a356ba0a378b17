import type { Server } from 'node:http';

/**
 * A client that sends `Expect: 100-continue` waits with its body until it is asked for it. Node would ask at once. Here
 * it is asked when the body is about to be read, so a request without a valid token is refused before its body is sent.
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (request, response) => {
    // After an answer, Node reads the rest of the request only to discard it.
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    server.emit('request', request, response);
  });
}
