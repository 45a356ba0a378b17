import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/** A part of a heap snapshot of V8. */
interface HeapSnapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[] } };
  /** One number for each field of each object. */
  readonly nodes: readonly number[];
}

/** The arguments of node for a process whose live heap is measured. The snapshots go into the folder. */
export const measurable = (folder: string): readonly string[] => [
  '--heapsnapshot-signal=SIGUSR2',
  `--diagnostic-dir=${folder}`,
];

/**
 * The megabytes that a process still needs after a garbage collection: what grows here is a leak, whatever the
 * collector has not freed yet. The process is blocked meanwhile.
 */
export async function liveHeapMb(processId: number, folder: string): Promise<number> {
  process.kill(processId, 'SIGUSR2');
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const [name] = readdirSync(folder).filter((file) => file.endsWith('.heapsnapshot'));
    const snapshot = name === undefined ? undefined : parsed(path.join(folder, name));
    if (name === undefined || snapshot === undefined) continue;
    rmSync(path.join(folder, name));
    const { node_fields: fields } = snapshot.snapshot.meta;
    const size = fields.indexOf('self_size');
    let bytes = 0;
    for (let at = size; at < snapshot.nodes.length; at += fields.length) bytes += snapshot.nodes[at] ?? 0;
    return bytes / 1024 ** 2;
  }
}

/** Undefined while the file is still being written. */
function parsed(file: string): HeapSnapshot | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as HeapSnapshot;
  } catch {
    return undefined;
  }
}
