import { request, type Agent } from 'node:http';
import type { Decided } from '../../src/items/decide.js';
import type { ItemDetail, ListedPage, Overview } from '../../src/review/review-api.js';
import { Collector } from '../cli/recon.js';
import { runProgram } from '../../src/cli/program.js';
import type { EnvironmentVariables } from '../../src/config/environment.js';

/** `recon review` in the process of the test, and a browser's requests to it. */

export interface ReviewPage {
  /** The link as it was printed first. */
  readonly link: string;
  readonly origin: string;
  /** The lines of standard output so far. */
  readonly lines: () => string[];
  /** What it logged so far. */
  readonly log: () => string;
  /** Ends the command as Ctrl+C does, and returns its exit code. */
  stop(): Promise<number>;
}

export async function startReview(
  args: readonly string[],
  { cwd, environment }: { readonly cwd: string; readonly environment: EnvironmentVariables },
): Promise<ReviewPage> {
  const interrupt = new AbortController();
  const [stdout, stderr] = [new Collector(), new Collector()];
  const ended = runProgram(['review', '--json', ...args], {
    stdout,
    stderr,
    cwd,
    environment,
    signal: interrupt.signal,
  });
  const lines = () => stdout.text.split('\n').filter((line) => line !== '');
  const listening = (async () => {
    while (lines().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  })();
  const code = await Promise.race([listening, ended]);
  if (code !== undefined) throw new Error(`recon review ended with ${code}: ${stdout.text}${stderr.text}`);
  const { url } = JSON.parse(lines()[0] ?? '') as { url: string };
  return {
    link: url,
    origin: new URL(url).origin,
    lines,
    log: () => stderr.text,
    stop: () => {
      interrupt.abort();
      return ended;
    },
  };
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A request as it is given: also one that no browser would send. */
export function send(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
    agent,
  }: { method?: string; headers?: Record<string, string>; body?: string; agent?: Agent } = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: agent ?? false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A browser that opened the link. */
export class Browser {
  readonly origin: string;
  cookie = '';

  constructor(origin: string) {
    this.origin = origin;
  }

  async open(link: string): Promise<Received> {
    const received = await send(link, { headers: { cookie: this.cookie } });
    const [set = ''] = [received.headers['set-cookie'] ?? []].flat();
    if (set !== '') this.cookie = set.split(';')[0] ?? '';
    return received;
  }

  get(path: string): Promise<Received> {
    return send(`${this.origin}${path}`, { headers: { cookie: this.cookie } });
  }

  /** The document of a request that must succeed. */
  async json<T>(path: string): Promise<T> {
    const { status, text } = await this.get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text) as T;
  }

  items = (query = '') => this.json<ListedPage>(`/api/items${query}`);
  detail = (id: string) => this.json<ItemDetail>(`/api/items/${id}`);
  overview = () => this.json<Overview>('/api/overview');

  /** Sends a decision and returns the status with the document, or the error. */
  async decide(
    decision: unknown,
  ): Promise<Decided & { status: number; error?: { code: string; message: string } }> {
    const { status, text } = await send(`${this.origin}/api/decide`, {
      method: 'POST',
      headers: { cookie: this.cookie, origin: this.origin, 'content-type': 'application/json' },
      body: JSON.stringify(decision),
    });
    return { status, ...(JSON.parse(text) as Decided) };
  }
}
