import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Counts the instructions that processes execute in user mode. */
export interface InstructionCounter {
  readonly name: 'perf' | 'valgrind';
  /** How many times as long as usual a counted process takes. */
  readonly slowdown: number;
  /** Starts a command that is counted together with all processes that it starts. */
  start(command: readonly string[], options: CountedOptions): CountedProcess;
}

export interface CountedOptions extends Omit<SpawnOptions, 'stdio' | 'detached'> {
  /** `server` is a PostgreSQL server, whose processes begin as copies of the first. */
  readonly kind: 'program' | 'server';
}

export interface CountedProcess {
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  /** Sends SIGTERM. */
  stop(): void;
  /** Read this after the end. */
  instructions(): number;
}

interface Tool {
  readonly name: InstructionCounter['name'];
  readonly slowdown: number;
  readonly prefix: Readonly<Record<CountedOptions['kind'], readonly string[]>>;
  /** A count of one process or of several; they are added up. */
  readonly count: RegExp;
}

const perfStat = ['perf', 'stat', '-x', ',', '-e', 'instructions:u', '--log-fd', '3', '--'];

const perf: Tool = {
  name: 'perf',
  slowdown: 1,
  prefix: { program: perfStat, server: perfStat },
  count: /^(\d+),[^,]*,[^,]*instructions/gm,
};

const valgrind: Tool = {
  name: 'valgrind',
  slowdown: 40,
  prefix: {
    // The tool that costs least: it only counts.
    program: [
      'valgrind',
      '--log-fd=3',
      '--tool=cachegrind',
      '--cache-sim=no',
      '--cachegrind-out-file=/dev/null',
    ],
    // A process that is a copy of another goes on with its count; this tool can set it to zero.
    server: [
      'valgrind',
      '--log-fd=3',
      '--tool=callgrind',
      '--callgrind-out-file=/dev/null',
      '--zero-before=InitPostmasterChild',
    ],
  },
  count: /I +refs: +([\d,]+)/g,
};

/**
 * `perf` where the processor counts (most virtual machines do not), else valgrind.
 *
 * @param directory for the files with the counts
 * @throws Error that says why nothing can be counted here
 */
export function instructionCounter(directory: string): InstructionCounter {
  const [command = '', ...args] = perfStat;
  const tried = spawnSync(command, [...args, 'true'], { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  const said = tried.error === undefined ? (tried.output[3]?.toString() ?? '') : '';
  if (countsIn(perf, said).length > 0) return counterWith(perf, directory);
  if (spawnSync('valgrind', ['--version']).status === 0) return counterWith(valgrind, directory);
  const why = tried.error === undefined ? `perf counts nothing here (${said.trim()})` : 'there is no perf';
  throw new Error(
    `Instructions cannot be counted: ${why}, and no valgrind. Install valgrind, and try again.`,
  );
}

function counterWith(tool: Tool, directory: string): InstructionCounter {
  return {
    name: tool.name,
    slowdown: tool.slowdown,
    start: (command, { kind, ...options }) => {
      const file = path.join(mkdtempSync(path.join(directory, 'counts-')), 'log');
      // Passed on as an open file: the account of the server may not enter the folder.
      const log = openSync(file, 'a');
      const [program = '', ...args] = [...tool.prefix[kind], ...command];
      const child = spawn(program, args, {
        ...options,
        // A separate process group, so that a signal reaches the command and not only the tool that started it.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', log],
      });
      closeSync(log);
      return {
        ended: untilEnded(child),
        stop: () => {
          if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
        },
        instructions: () => {
          const counts = countsIn(tool, readFileSync(file, 'utf8'));
          if (counts.length === 0) throw new Error(`${tool.name} counted nothing of ${command.join(' ')}`);
          return counts.reduce((sum, each) => sum + each, 0);
        },
      };
    },
  };
}

function countsIn({ count }: Tool, log: string): number[] {
  return [...log.matchAll(count)].map(([, digits = '']) => Number(digits.replaceAll(',', '')));
}

async function untilEnded(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
