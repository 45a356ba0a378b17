import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Interrupted } from '../../src/cli/interrupted.js';
import { runProgram } from '../../src/cli/program.js';
import { Collector, recon, type Ended } from '../cli/recon.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { card, cardNumber } from '../payment-core/support/test-core.js';
import { AnswerCheck } from './described-answers.js';

/** Entities of tests only. */
export const entity = '8a8294174b7ecb28014b9699220015ca';
export const otherEntity = '8a8294174b7ecb28014b9699220015cb';

export { card, cardNumber };

/** A payment of 92.00 EUR by card. */
export const payment = (paymentType: string, more: Readonly<Record<string, string>> = {}) => ({
  paymentType,
  amount: '92.00',
  currency: 'EUR',
  ...card,
  ...more,
});

/** Every answer that a test gets is compared with the OpenAPI document. */
export const answerCheck = new AnswerCheck();

/** An answer of the gateway. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; an empty object if it is not JSON. */
  readonly body: Body;
}

/** The parts of a body that tests look at; the rest is compared as a whole. */
export interface Body {
  readonly id?: string;
  readonly ndc?: string;
  readonly result?: {
    readonly code: string;
    readonly description: string;
    readonly parameterErrors?: readonly { name: string; message: string; value: string | null }[];
  };
  readonly [name: string]: unknown;
}

export type Form = Readonly<Record<string, string>> | string | undefined;

/** A running `recon serve` with a database, within the process of the test. */
export interface Served {
  readonly url: string;
  readonly adminUrl: string | undefined;
  readonly database: TestDatabase;
  readonly directory: string;
  readonly stderr: () => string;
  /** Runs another command on the same database. */
  recon(...args: string[]): Promise<Ended>;
  /** Makes a token; by default with the role `payments` for `entity`. */
  token(...options: string[]): Promise<string>;
  /** Sends a request. `token` null: without a header. The default token has the role `payments` for `entity`. */
  call(
    method: string,
    target: string,
    form?: Form,
    options?: { token?: string | null; headers?: Readonly<Record<string, string>> },
  ): Promise<Reply>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number>;
  close(): Promise<void>;
}

/** @param former was stopped; this one continues with its database and folder */
export async function serve(
  config = '',
  environment: Readonly<Record<string, string>> = {},
  former?: Pick<Served, 'database' | 'directory'>,
): Promise<Served> {
  const database = former?.database ?? (await createTestDatabase());
  const directory = former?.directory ?? mkdtempSync(path.join(tmpdir(), 'recon-http-'));
  writeFileSync(path.join(directory, 'recon.config.yaml'), config, { mode: 0o600 });
  const all = {
    RECON_DATABASE_URL: database.url,
    RECON_DATA_DIR: path.join(directory, 'data'),
    ...environment,
  };
  const run = (...args: string[]) => recon(args, { cwd: directory, environment: all });
  const stopping = new AbortController();
  const [stdout, stderr] = [new Collector(), new Collector()];
  const ended = runProgram(['serve', '--port', '0', '--json'], {
    stdout,
    stderr,
    cwd: directory,
    environment: all,
    signal: stopping.signal,
  });
  const { url, adminUrl } = await firstLine(stdout, ended, stderr).catch(async (thrown: unknown) => {
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
    throw thrown;
  });
  const token = async (...options: string[]) => {
    const given = options.includes('--entity') ? options : ['--entity', entity, ...options];
    const { stdout: made } = await run('tokens', 'create', '--json', '--by', 'test', ...given);
    return (JSON.parse(made) as { token: string }).token;
  };
  const usual = await token();
  const stop = () => {
    stopping.abort(new Interrupted('SIGTERM'));
    return ended;
  };
  return {
    url,
    adminUrl,
    database,
    directory,
    stderr: () => stderr.text,
    recon: run,
    token,
    call: (method, target, form, options = {}) => send(url, method, target, form, usual, options),
    stop,
    close: async () => {
      await stop();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function firstLine(
  stdout: Collector,
  ended: Promise<number>,
  stderr: Collector,
): Promise<{ url: string; adminUrl?: string }> {
  let code: number | undefined;
  void ended.then((exitCode) => (code = exitCode));
  while (!stdout.text.includes('"event":"listening"')) {
    if (code !== undefined) throw new Error(`serve ended with ${code}: ${stdout.text}${stderr.text}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const [line = ''] = stdout.text.split('\n');
  return JSON.parse(line) as { url: string; adminUrl?: string };
}

async function send(
  url: string,
  method: string,
  target: string,
  form: Form,
  usual: string,
  { token = usual, headers = {} }: { token?: string | null; headers?: Readonly<Record<string, string>> },
): Promise<Reply> {
  const isSent = form !== undefined;
  const response = await fetch(`${url}${target}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(isSent ? { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' } : {}),
      ...headers,
    },
    ...(isSent ? { body: typeof form === 'string' ? form : new URLSearchParams(form).toString() } : {}),
  });
  const text = await response.text();
  const differences = answerCheck.differences({
    ...{ method, target, text },
    ...{ status: response.status, headers: response.headers },
  });
  if (differences.length > 0) {
    throw new Error(`An answer differs from the OpenAPI document:\n${differences.join('\n')}`);
  }
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {};
  }
}

/** Sends a request with exactly this target and these headers, which `fetch` would normalise or join. */
export function rawRequest(
  url: string,
  {
    method,
    path: target,
    headers,
    body: sentBody = '',
  }: {
    method: string;
    path: string;
    headers?: Readonly<Record<string, string | string[]>>;
    body?: string;
  },
): Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, method, path: target, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    sent.on('error', reject).end(sentBody);
  });
}
