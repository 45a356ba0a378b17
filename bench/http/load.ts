import { connect, type Socket } from 'node:net';

/** What a load on a server showed. */
export interface LoadResult {
  readonly requests: number;
  readonly elapsedMs: number;
  /** Of the time from sending a request to its whole answer, sorted. */
  readonly latenciesMs: Float64Array;
}

export interface LoadOptions {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Keep-alive connections, each with one request at a time. */
  readonly connections: number;
  /** Stops after this time or this number of requests, whichever comes first. */
  readonly seconds: number;
  readonly requests?: number;
  /** All connections together; without it, each sends its next request as soon as it has its answer. */
  readonly perSecond?: number;
  /** The bytes of the request with this number. */
  readonly next: (number: number) => string;
  /** Called with each body, for example to collect ids. */
  readonly onBody?: (body: string) => void;
}

/**
 * Sends requests over keep-alive sockets until the time is over. It shares the machine with the servers that it
 * measures, so it does as little as possible: a general HTTP client needs several times the CPU time of the answer.
 *
 * @throws Error for any status but 200
 */
export async function putUnderLoad(options: LoadOptions): Promise<LoadResult> {
  const { connections, seconds, requests = Infinity, perSecond = Infinity } = options;
  const latencies: number[] = [];
  const started = performance.now();
  const deadline = started + seconds * 1000;
  let sent = 0;
  const mayGoOn = () => sent < requests && performance.now() < deadline;
  const one = async () => {
    const connection = await openConnection(options.url);
    try {
      while (mayGoOn()) {
        const request = options.next(sent);
        const waitMs = started + (sent * 1000) / perSecond - performance.now();
        sent += 1;
        if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
        const began = performance.now();
        const { status, body } = await connection.exchange(request);
        latencies.push(performance.now() - began);
        if (status !== 200) throw new Error(`a request was answered with ${status}: ${body.slice(0, 500)}`);
        options.onBody?.(body);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return {
    requests: latencies.length,
    elapsedMs: performance.now() - started,
    latenciesMs: Float64Array.from(latencies).sort(),
  };
}

/** The latency that this share of the requests did not exceed. */
export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** A request in the form of HTTP/1.1. */
export function requestText(
  method: 'GET' | 'POST',
  target: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const all = { host: '127.0.0.1', ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

interface Exchange {
  readonly status: number;
  readonly body: string;
}

interface Connection {
  exchange(request: string): Promise<Exchange>;
  close(): void;
}

async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  let waiting: { resolve: (exchange: Exchange) => void; reject: (reason: Error) => void } | undefined;
  const reader = readAnswers((exchange) => waiting?.resolve(exchange));
  socket.on('data', reader);
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')));
  return {
    exchange: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => closed(socket),
  };
}

function closed(socket: Socket): void {
  socket.removeAllListeners('close');
  socket.destroy();
}

/** Answers with a Content-Length only: both servers send nothing else. */
function readAnswers(answered: (exchange: Exchange) => void): (chunk: Buffer) => void {
  let received: Buffer = Buffer.alloc(0);
  return (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = received.toString('latin1', 0, end);
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
    if (length === undefined) throw new Error('an answer has no Content-Length');
    const whole = end + 4 + Number(length);
    if (received.length < whole) return;
    const body = received.toString('utf8', end + 4, whole);
    received = received.subarray(whole);
    answered({ status: Number(head.slice(9, 12)), body });
  };
}
