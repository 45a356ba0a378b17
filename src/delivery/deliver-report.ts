import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { causeOf, isMissing, systemErrorOf } from '../disk/disk-errors.js';
import { readPieces } from '../disk/read-pieces.js';
import { ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { TargetFolder } from '../remote/target-folder.js';
import { manifestName, parseManifest } from '../reporting/folder/manifest.js';
import type { WrittenFile } from '../reporting/folder/report-file.js';

/** A report folder as it was published here. */
interface LocalReport {
  readonly directory: string;
  /** Its name, here and at the target. */
  readonly name: string;
  readonly manifest: Buffer;
  readonly files: readonly WrittenFile[];
}

/** A report folder that is delivered to one target. */
export interface ReportToDeliver {
  readonly reportsDirectory: string;
  readonly name: string;
  /** The SHA-256 of the manifests that were sent before: a folder with one of them may be replaced. */
  readonly sent: readonly string[];
  /** Called with the SHA-256 of the manifest before anything is written. */
  readonly beforeSending: (manifestSha256: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** One that prevents the delivery of this report only; the others can still be delivered. */
export class ReportProblem extends Error {}

/**
 * Delivers a report whole: it is written beside its final place under a temporary name, every file is compared with its
 * size, the manifest comes last, and then the folder gets its name. A report that is there already is not sent again,
 * one that was delivered before and has changed since is replaced, and what a delivery that was interrupted left is
 * removed.
 *
 * No protocol replaces a folder in one step: the former one is moved aside first, and for one rename nothing has the
 * name.
 *
 * @throws ReportProblem; ReconError of the target
 */
export async function deliverReport(target: TargetFolder, report: ReportToDeliver): Promise<void> {
  const local = await readReport(report.reportsDirectory, report.name);
  const { name } = local;
  const [tmp, old] = [`.${name}.recon-tmp`, `.${name}.recon-old`];
  if (!(await target.exists(name)) && (await target.exists(old))) await target.rename(old, name);
  if (await isDelivered(target, local)) {
    await removeLeftovers(target, [tmp, old]);
    return;
  }
  const isReplacing = await target.exists(name);
  if (isReplacing && !(await isOurs(target, name, report.sent))) {
    throw new ReportProblem(
      `${target.where} has another folder ${name}, which was not delivered from here and is not replaced. Move it away, or give each installation its own folder.`,
    );
  }
  await report.beforeSending(sha256Of(local.manifest));
  await removeLeftovers(target, [tmp, old]);
  await upload(target, local, tmp, report.signal);
  if (isReplacing) {
    await target.rename(name, old);
    failPoint('deliver.aside.after');
  }
  await target.rename(tmp, name).catch(async (thrown: unknown) => {
    if (isReplacing) await target.rename(old, name).catch(() => undefined);
    throw thrown;
  });
  failPoint('deliver.rename.after');
  // The report is delivered; what stays is removed with its next version.
  if (isReplacing) await target.remove(old).catch(() => undefined);
}

/** More than any report has. */
const maximumManifestBytes = 64 * 1024 * 1024;

async function isDelivered(target: TargetFolder, { name, manifest, files }: LocalReport): Promise<boolean> {
  const there = await target.read(`${name}/${manifestName}`, maximumManifestBytes);
  if (there?.equals(manifest) !== true) return false;
  for (const file of files) {
    if ((await target.size(`${name}/${file.name}`)) !== file.bytes) return false;
  }
  return true;
}

async function isOurs(target: TargetFolder, name: string, sent: readonly string[]): Promise<boolean> {
  const manifest = await target.read(`${name}/${manifestName}`, maximumManifestBytes);
  return manifest !== undefined && sent.includes(sha256Of(manifest));
}

async function removeLeftovers(target: TargetFolder, names: readonly string[]): Promise<void> {
  for (const name of names) if (await target.exists(name)) await target.remove(name);
}

async function upload(
  target: TargetFolder,
  local: LocalReport,
  tmp: string,
  signal: AbortSignal,
): Promise<void> {
  await target.makeFolder(tmp);
  for (const folder of foldersOf(local.files)) await target.makeFolder(`${tmp}/${folder}`);
  for (const file of local.files) {
    const hash = createHash('sha256');
    await target.write(`${tmp}/${file.name}`, hashed(path.join(local.directory, file.name), hash, signal));
    if (hash.digest('hex') !== file.sha256) throw damaged(local.name, `${file.name} was changed`);
    await requireSize(target, `${tmp}/${file.name}`, file.bytes);
    failPoint('deliver.file.after');
  }
  await target.write(`${tmp}/${manifestName}`, once(local.manifest));
  await requireSize(target, `${tmp}/${manifestName}`, local.manifest.length);
  failPoint('deliver.manifest.after');
}

/** `reconciled/2026` needs `reconciled` first. */
function foldersOf(files: readonly WrittenFile[]): string[] {
  const folders = new Set<string>();
  for (const { name } of files) {
    const parts = name.split('/').slice(0, -1);
    parts.forEach((_part, index) => folders.add(parts.slice(0, index + 1).join('/')));
  }
  return [...folders];
}

async function requireSize(target: TargetFolder, at: string, bytes: number): Promise<void> {
  const size = await target.size(at);
  if (size === bytes) return;
  throw new ReportProblem(`${target.where} has ${size ?? 'no'} bytes of ${at}, which has ${bytes} here.`);
}

async function* hashed(
  file: string,
  hash: ReturnType<typeof createHash>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    for await (const piece of readPieces(file, 256 * 1024)) {
      if (signal.aborted) throw new ReconError('RUN_INTERRUPTED', 'The delivery was interrupted.');
      hash.update(piece);
      yield piece;
    }
  } catch (thrown) {
    throw readingFailed(path.basename(path.dirname(file)), thrown) ?? thrown;
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

async function readReport(reportsDirectory: string, name: string): Promise<LocalReport> {
  const directory = path.join(reportsDirectory, name);
  let manifest: Buffer;
  try {
    manifest = await readFile(path.join(directory, manifestName));
  } catch (thrown) {
    throw readingFailed(name, thrown) ?? thrown;
  }
  const files = parseManifest(manifest.toString('utf8'))?.files;
  if (files === undefined) throw damaged(name, `${manifestName} is damaged`);
  return { directory, name, manifest, files };
}

function readingFailed(name: string, thrown: unknown): ReportProblem | undefined {
  if (systemErrorOf(thrown) === undefined) return undefined;
  if (isMissing(thrown)) return damaged(name, 'a file or the folder is missing');
  return new ReportProblem(`The report folder ${name} cannot be read: ${causeOf(thrown)}.`);
}

const damaged = (name: string, what: string) =>
  new ReportProblem(
    `The report folder ${name} is not whole here: ${what}. recon report writes it again and delivers it.`,
  );

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
