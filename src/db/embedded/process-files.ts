import { readlinkSync, statSync } from 'node:fs';
import * as z from 'zod';
import { isDenied } from '../../disk/disk-errors.js';
import { runProgram } from './run-program.js';
import type { ServerAccount } from './run-program.js';

/** The executable and the working directory of a process, according to the kernel. */
export interface ProcessFiles {
  /** The path of its executable; ` (deleted)` at its end when an update replaced it. */
  readonly executable: string;
  /** Device and inode. */
  readonly executableId: string;
  readonly workingDirectoryId: string;
}

/** Identifies one file or folder, independently of the path. */
export function fileId(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return `${dev}:${ino}`;
}

/**
 * Reads the executable and the working directory of a process. Root in a container often lacks the capability to do so
 * for another user's process (SYS_PTRACE): then a program that runs as that user reads them.
 *
 * @returns undefined when the process has ended or may not be inspected
 */
export async function filesOf(
  processId: number,
  account: ServerAccount | undefined,
): Promise<ProcessFiles | undefined> {
  const folder = `/proc/${processId}`;
  try {
    return {
      executable: readlinkSync(`${folder}/exe`),
      executableId: fileId(`${folder}/exe`),
      workingDirectoryId: fileId(`${folder}/cwd`),
    };
  } catch (thrown) {
    if (account === undefined || !isDenied(thrown)) return undefined;
  }
  const end = await runProgram(process.execPath, ['-e', lookScript, folder], { account, cwd: '/' });
  return end.code === 0 ? answer.parse(JSON.parse(end.output)) : undefined;
}

const answer = z.object({
  executable: z.string(),
  executableId: z.string(),
  workingDirectoryId: z.string(),
});

const lookScript = `const fs = require('node:fs');
const folder = process.argv[1];
const id = (file) => { const { dev, ino } = fs.statSync(file, { bigint: true }); return dev + ':' + ino; };
process.stdout.write(JSON.stringify({ executable: fs.readlinkSync(folder + '/exe'),
  executableId: id(folder + '/exe'), workingDirectoryId: id(folder + '/cwd') }));`;
