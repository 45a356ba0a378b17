import { fingerprintOfHostKey, newHostKey } from '../../src/demo/loopback-sftp-server.js';
import { isSourceFailure, type ReconError } from '../../src/errors.js';
import type { SourceSettings } from '../../src/remote/source-settings.js';
import type { Chance } from '../support/campaign.js';
import { FetchWorld, numberedBytes, sha256Of, type Fetched } from '../support/fetch-world.js';
import { startScriptedFtpServer } from '../support/scripted-ftp-server.js';
import { startSftpServer } from '../support/sftp-server.js';
import { startTcpProxy, type ProxyFault, type TcpProxy } from '../support/tcp-proxy.js';

export type Protocol = 'sftp' | 'ftp' | 'ftps explicit' | 'ftps implicit';

/** Where a fault strikes: the n-th connection of its kind, or every one from the n-th on. */
export interface NetworkFault extends ProxyFault {
  readonly on: 'control' | 'data';
  readonly nth: number;
  readonly isLasting: boolean;
}

/** What came of it; a fault misses when it lies behind the last byte. */
export type Ending = 'missed' | 'repaired by another try' | 'some files failed' | 'source failed';

const shortDeadlines = { connectTimeoutMs: 1500, stallTimeoutMs: 400, fileTimeoutMs: 1500 } as const;
const patientDeadlines = { connectTimeoutMs: 20_000, stallTimeoutMs: 20_000, fileTimeoutMs: 60_000 } as const;
/** Both tries of a connection and both of a file at their deadlines, and room for a busy machine. */
const latestEndMs = 15_000;

/** Plain FTP has nothing that would notice a bit: its loss is documented, and not drawn. */
export function drawFault(protocol: Protocol, sizes: readonly number[], chance: Chance): NetworkFault {
  const kinds: readonly ProxyFault['kind'][] =
    protocol === 'ftp' ? ['fin', 'rst', 'hole', 'drip'] : ['fin', 'rst', 'hole', 'drip', 'flip'];
  const on = protocol === 'sftp' || chance.fraction() < 0.3 ? 'control' : 'data';
  const nth = on === 'control' ? 1 : chance.integer(1, sizes.length + 1);
  const isOfClient = on === 'control' && chance.fraction() < 0.25;
  // Key exchange, login and listing come first, and faults in them matter as much as faults in the files.
  const beginning = { sftp: 5000, ftp: 150, 'ftps explicit': 2000, 'ftps implicit': 2000 }[protocol];
  const inFiles = isOfClient ? 0 : bytesOfFiles(protocol, on, sizes, nth);
  const afterBytes = chance.integer(0, chance.fraction() < 0.3 ? beginning : beginning + inFiles);
  const isLasting = chance.fraction() < 0.3;
  const from = isOfClient ? 'client' : 'server';
  return { kind: chance.pick(kinds), on, nth, isLasting, from, afterBytes, bit: chance.integer(0, 7) };
}

/** How many bytes of files a connection carries: of SFTP all, of FTP the second and third data connection one each. */
function bytesOfFiles(
  protocol: Protocol,
  on: NetworkFault['on'],
  sizes: readonly number[],
  nth: number,
): number {
  if (protocol === 'sftp') return sizes.reduce((sum, size) => sum + size, 0);
  return on === 'data' ? (sizes[nth - 2] ?? 0) : 0;
}

/**
 * Fetches two files through a drawn fault and then again without it. Whatever happens in between, only bytes as
 * the server has them are received, the end comes in time, and the second fetch has everything.
 *
 * @throws Error that says what was accepted, left over or missed, and under which fault.
 */
export async function surviveFault(protocol: Protocol, chance: Chance): Promise<Ending> {
  const files = {
    'a.csv': numberedBytes(chance.pick([0, 1, 1000, 31_744, 40_000, 300_000, 1_000_000])),
    'b.csv': numberedBytes(chance.pick([4, 5000, 100_000])),
  };
  const fault = drawFault(
    protocol,
    Object.values(files).map(({ length }) => length),
    chance,
  );
  const world = new FetchWorld();
  try {
    const wire = new HarmfulWire(world, fault);
    const source = await serve(world, protocol, files, wire);
    const expected = new Map(Object.entries(files).map(([name, bytes]) => [name, sha256Of(bytes)]));
    const startedMs = Date.now();
    const harmed = await fetchOrFail(world, { ...source, ...shortDeadlines });
    const tookMs = Date.now() - startedMs;
    if (tookMs > latestEndMs) throw new Error(`it took ${tookMs} ms`);
    refuseOtherBytes(world, harmed.fetched, expected);
    wire.heal();
    const clean = await fetchOrFail(world, { ...source, ...patientDeadlines });
    refuseOtherBytes(world, clean.fetched, expected);
    const missed = [...expected.keys()].filter((name) => !clean.fetched?.files.includes(`${name}: received`));
    if (missed.length > 0) throw new Error(`the clean fetch missed ${missed.join(', ')}: ${describe(clean)}`);
    if (harmed.fetched === undefined) return 'source failed';
    if (harmed.fetched.files.some((line) => !line.endsWith(': received'))) return 'some files failed';
    return wire.hasHarmed() ? 'repaired by another try' : 'missed';
  } catch (thrown) {
    throw new Error(`${protocol} under ${JSON.stringify(fault)}: ${String(thrown)}`, { cause: thrown });
  } finally {
    await world.close();
  }
}

/** Proxies for the connections of one server, with one fault among them. */
class HarmfulWire {
  readonly #world: FetchWorld;
  readonly #fault: NetworkFault;
  readonly #proxies: TcpProxy[] = [];
  #isHealed = false;
  #dataConnections = 0;

  constructor(world: FetchWorld, fault: NetworkFault) {
    this.#world = world;
    this.#fault = fault;
  }

  heal(): void {
    this.#isHealed = true;
  }

  /** The port to connect to instead of the server's own. */
  async control(port: number): Promise<number> {
    return this.#open(await startTcpProxy(port, (nth) => this.#faultOf('control', nth)));
  }

  /** The same for one data connection. */
  async data(port: number): Promise<number> {
    this.#dataConnections += 1;
    const nth = this.#dataConnections;
    return this.#open(await startTcpProxy(port, () => this.#faultOf('data', nth)));
  }

  hasHarmed(): boolean {
    return this.#proxies.some((proxy) => proxy.hasHarmed());
  }

  #open(proxy: TcpProxy): number {
    this.#proxies.push(this.#world.closing(proxy));
    return proxy.port;
  }

  #faultOf(on: NetworkFault['on'], nth: number): ProxyFault | undefined {
    const { isLasting, nth: first } = this.#fault;
    if (this.#isHealed || on !== this.#fault.on) return undefined;
    return nth === first || (isLasting && nth > first) ? this.#fault : undefined;
  }
}

const hostKey = newHostKey();

async function serve(
  world: FetchWorld,
  protocol: Protocol,
  files: Readonly<Record<string, Buffer>>,
  wire: HarmfulWire,
): Promise<SourceSettings> {
  if (protocol === 'sftp') {
    for (const [name, bytes] of Object.entries(files)) world.put(name, bytes);
    const server = world.closing(await startSftpServer(world.remote, { hostKeys: [hostKey] }));
    const port = await wire.control(server.port);
    return world.sftp({ port, hostKeyFingerprint: fingerprintOfHostKey(hostKey) }, { attempts: 2 });
  }
  const tls = ({ ftp: undefined, 'ftps explicit': 'explicit', 'ftps implicit': 'implicit' } as const)[
    protocol
  ];
  const server = world.closing(
    await startScriptedFtpServer({
      files,
      features: ['SIZE', 'MDTM', 'MLST type*;size*;modify*;'],
      dataThrough: (port) => wire.data(port),
      ...(tls === undefined ? {} : { tls }),
    }),
  );
  const port = await wire.control(server.port);
  return tls === undefined
    ? world.ftp({ port }, { attempts: 2 })
    : world.ftps({ port, certificate: server.certificate }, tls, { attempts: 2 });
}

interface Attempt {
  readonly fetched: Fetched | undefined;
  readonly error: ReconError | undefined;
}

/** A source may fail, with a code that says so; anything else is not foreseen. */
async function fetchOrFail(world: FetchWorld, source: SourceSettings): Promise<Attempt> {
  try {
    return { fetched: await world.fetchAll(source), error: undefined };
  } catch (thrown) {
    if (!isSourceFailure(thrown)) throw thrown;
    return { fetched: undefined, error: thrown };
  }
}

const describe = ({ fetched, error }: Attempt) => fetched?.files.join(', ') ?? error?.message ?? '';

function refuseOtherBytes(
  world: FetchWorld,
  fetched: Fetched | undefined,
  expected: ReadonlyMap<string, string>,
): void {
  for (const file of fetched?.results ?? []) {
    if (file.status === 'received' && file.sha256 !== expected.get(file.name)) {
      throw new Error(`other bytes were received as ${file.name}`);
    }
  }
  const known = new Set(expected.values());
  // Also throws when the archive is not what its names say, or part of a file is left behind.
  const other = world.archived().filter((sha256) => !known.has(sha256));
  if (other.length > 0) throw new Error(`other bytes were archived: ${other.join(', ')}`);
}
