import path from 'node:path';
import { createToken } from '../../src/http/tokens/change-tokens.js';
import { openMigrationSession } from '../../src/db/connect.js';
import type { BenchServer } from '../bench-server.js';
import { percentile, putUnderLoad, requestText, type LoadResult } from './load.js';
import { startServed, type ServedProcess } from './served-process.js';

export interface HttpOptions {
  /** The numbers of connections to measure with. */
  readonly connections: readonly number[];
  /** How often both servers take turns. */
  readonly rounds: number;
  /** How long each turn takes. */
  readonly seconds: number;
}

/** One server in its turns. */
export interface ServerFigures {
  /** Median of the turns. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time per request, in milliseconds: of the server's process, and of PostgreSQL; null without /proc. */
  readonly cpuMs: number | null;
  readonly databaseCpuMs: number | null;
}

/** The gateway and the reference with one kind of request and one number of connections. */
export interface HttpMeasurement {
  readonly request: 'POST /v1/payments' | 'GET /v1/payments/{id}';
  readonly connections: number;
  readonly gateway: ServerFigures;
  readonly reference: ServerFigures;
  /** Requests per second of the gateway, divided by those of the reference in the same round: median of the rounds. */
  readonly ratio: number;
  /** CPU time of a request to the reference, PostgreSQL's included, divided by that of one to the gateway. */
  readonly cpuRatio: number | null;
}

const entity = '8a8294174b7ecb28014b9699220015ca';

/**
 * Compares `recon serve` with the reference server: both with the same PostgreSQL, pool and database, in turns, so that
 * other work on the machine meets both.
 */
export async function measureHttp(
  server: BenchServer,
  directory: string,
  options: HttpOptions,
): Promise<HttpMeasurement[]> {
  const database = 'http';
  await server.create(database);
  const url = server.url(database);
  const token = await newToken(url);
  const gateway = await startServed([path.resolve('dist/cli/main.js'), 'serve', '--port', '0', '--json'], {
    RECON_DATABASE_URL: url,
    RECON_DATA_DIR: path.join(directory, database),
  });
  const reference = await startServed(
    ['--import', 'tsx', path.resolve('bench/http/reference-server.ts'), url],
    {},
  );
  try {
    const turn = { server, token, seconds: options.seconds };
    const gatewayIds = await warmUp({ ...turn, served: gateway });
    const referenceIds = await warmUp({ ...turn, served: reference });
    const measured: HttpMeasurement[] = [];
    for (const connections of options.connections) {
      for (const request of ['POST /v1/payments', 'GET /v1/payments/{id}'] as const) {
        const pairs: Pair[] = [];
        for (let round = 0; round < options.rounds; round += 1) {
          const one = { ...turn, request, connections };
          const ofReference = await takeTurn({ ...one, served: reference, ids: referenceIds });
          const ofGateway = await takeTurn({ ...one, served: gateway, ids: gatewayIds });
          pairs.push({ reference: ofReference, gateway: ofGateway });
        }
        measured.push(compare(request, connections, pairs));
      }
    }
    return measured;
  } finally {
    await Promise.all([gateway.stop(), reference.stop()]);
  }
}

async function newToken(url: string): Promise<string> {
  const sql = openMigrationSession(url);
  try {
    const request = {
      entityIds: [entity],
      roles: ['payments'],
      environment: 'test',
      author: 'bench',
    } as const;
    return (await createToken(sql, request)).token;
  } finally {
    await sql.end();
  }
}

interface Turn {
  readonly server: BenchServer;
  readonly served: ServedProcess;
  readonly token: string;
  readonly seconds: number;
  readonly request: HttpMeasurement['request'];
  readonly connections: number;
  /** Of payments that can be read. */
  readonly ids: readonly string[];
}

interface Figures extends LoadResult {
  readonly cpuMs: number | null;
  readonly databaseCpuMs: number | null;
}

interface Pair {
  readonly reference: Figures;
  readonly gateway: Figures;
}

/** Until then the code is not compiled, and statements are not prepared. @returns the ids of the payments made */
async function warmUp(turn: Pick<Turn, 'served' | 'token'>): Promise<readonly string[]> {
  const ids: string[] = [];
  await putUnderLoad({
    url: turn.served.url,
    connections: 8,
    seconds: 120,
    requests: 5000,
    next: postOf(turn.token),
    onBody: (body) => ids.push((JSON.parse(body) as { id: string }).id),
  });
  const next = getOf(turn.token, ids);
  await putUnderLoad({ url: turn.served.url, connections: 8, seconds: 120, requests: 5000, next });
  return ids;
}

async function takeTurn(turn: Turn): Promise<Figures> {
  const { server, served, connections, seconds, token } = turn;
  const next = turn.request === 'POST /v1/payments' ? postOf(token) : getOf(token, turn.ids);
  const before = { own: served.cpuMs(), database: server.cpuMs() };
  const result = await putUnderLoad({ url: served.url, connections, seconds, next });
  const after = { own: served.cpuMs(), database: server.cpuMs() };
  const perRequest = (from: number | null, to: number | null) =>
    from === null || to === null ? null : (to - from) / result.requests;
  return {
    ...result,
    cpuMs: perRequest(before.own, after.own),
    databaseCpuMs: perRequest(before.database, after.database),
  };
}

/** A card payment as integrations send it, with the customer and a reference. */
function postOf(token: string): (number: number) => string {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
  };
  return (number) => {
    const body = new URLSearchParams({
      entityId: entity,
      paymentType: 'DB',
      amount: '92.00',
      currency: 'EUR',
      merchantTransactionId: `order-${process.pid}-${number}`,
      paymentBrand: 'VISA',
      'card.number': '4200000000000000',
      'card.holder': 'Jane Jones',
      'card.expiryMonth': '05',
      'card.expiryYear': '2034',
      'card.cvv': '123',
      'customer.givenName': 'Jane',
      'customer.surname': 'Jones',
      'customer.email': 'jane.jones@example.com',
    });
    return requestText('POST', '/v1/payments', headers, body.toString());
  };
}

function getOf(token: string, ids: readonly string[]): (number: number) => string {
  const headers = { authorization: `Bearer ${token}` };
  return (number) =>
    requestText('GET', `/v1/payments/${ids[(number * 7919) % ids.length] ?? ''}?entityId=${entity}`, headers);
}

function compare(
  request: HttpMeasurement['request'],
  connections: number,
  pairs: readonly Pair[],
): HttpMeasurement {
  const [reference, gateway] = [
    figuresOf(pairs.map((pair) => pair.reference)),
    figuresOf(pairs.map((pair) => pair.gateway)),
  ];
  const cpu = { gateway: totalCpu(gateway), reference: totalCpu(reference) };
  return {
    request,
    connections,
    gateway,
    reference,
    ratio: median(pairs.map((pair) => perSecond(pair.gateway) / perSecond(pair.reference))),
    cpuRatio: cpu.gateway === null || cpu.reference === null ? null : cpu.reference / cpu.gateway,
  };
}

function totalCpu({ cpuMs, databaseCpuMs }: ServerFigures): number | null {
  return cpuMs === null || databaseCpuMs === null ? null : cpuMs + databaseCpuMs;
}

const perSecond = ({ requests, elapsedMs }: Pick<LoadResult, 'requests' | 'elapsedMs'>) =>
  requests / (elapsedMs / 1000);

function figuresOf(turns: readonly Figures[]): ServerFigures {
  const medianOrNull = (values: readonly (number | null)[]) =>
    values.every((value) => value !== null) ? median(values) : null;
  return {
    perSecond: median(turns.map(perSecond)),
    p50Ms: median(turns.map(({ latenciesMs }) => percentile(latenciesMs, 0.5))),
    p99Ms: median(turns.map(({ latenciesMs }) => percentile(latenciesMs, 0.99))),
    cpuMs: medianOrNull(turns.map(({ cpuMs }) => cpuMs)),
    databaseCpuMs: medianOrNull(turns.map(({ databaseCpuMs }) => databaseCpuMs)),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
