import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EarlyReconciledFiles } from '../../src/reporting/early-reconciled-files.js';
import { archivePath } from '../support/archive.js';
import { facts, first, second } from './night.js';
import { createWorld, folderContent, type World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await createWorld();
  world.archive(first);
  world.archive(second);
  await world.store(facts);
});

afterEach(() => world.end());

const reportFolders = () => (existsSync(world.reports) ? readdirSync(world.reports) : []);

test('a report that continues them is the same as one that writes everything, and they are there before it', async () => {
  const usual = folderContent((await world.publish()).directory);
  rmSync(world.reports, { recursive: true });
  const early = new EarlyReconciledFiles(world.request());
  await world.transact((tx) => early.write(tx));
  const [folder = '', ...others] = reportFolders();
  expect([path.extname(folder), others]).toEqual(['.tmp', []]);
  const names = Object.keys(usual).filter((name) => name.startsWith('reconciled'));
  expect(Object.keys(folderContent(path.join(world.reports, folder)))).toEqual(names);
  expect(folderContent((await world.publish({ early })).directory)).toEqual(usual);
  expect(reportFolders()).toEqual(['run-000001']);
});

test('they are written again when the transaction is repeated, and removed if nobody continues them', async () => {
  const early = new EarlyReconciledFiles(world.request());
  await world.transact((tx) => early.write(tx));
  await world.transact((tx) => early.write(tx));
  expect(reportFolders()).toHaveLength(1);
  await early.discard();
  expect([reportFolders(), early.take()]).toEqual([[], null]);
});

test('they are compared with the stored totals of the report', async () => {
  const early = new EarlyReconciledFiles(world.request());
  await world.transact((tx) => early.write(tx));
  await world.transact((tx) => tx`update settlement_records set amount_minor = 1 where line = 4`);
  await expect(world.publish({ early })).rejects.toMatchObject({ code: 'CONTROL_TOTALS_DISAGREE' });
  expect(reportFolders()).toEqual([]);
});

test('without the archived bytes they are given up, and the report says what is wrong', async () => {
  rmSync(archivePath(world.directory, world.archive(first)));
  const early = new EarlyReconciledFiles(world.request());
  await world.transact((tx) => early.write(tx));
  expect([reportFolders(), early.take()]).toEqual([[], null]);
  await expect(world.publish({ early })).rejects.toMatchObject({ code: 'DISK_FAILED' });
});

test('after a signal they are given up', async () => {
  const early = new EarlyReconciledFiles(world.request({ signal: AbortSignal.abort() }));
  await world.transact((tx) => early.write(tx));
  expect([reportFolders(), early.take()]).toEqual([[], null]);
});

test('a failure of the database is not hidden, because the transaction has ended with it', async () => {
  const early = new EarlyReconciledFiles(world.request());
  const failing = world.transact(async (tx) => {
    await tx`select 1 / 0`.catch(() => undefined);
    await expect(early.write(tx)).rejects.toThrow(/transaction is aborted/);
  });
  await expect(failing).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
  expect([reportFolders(), early.take()]).toEqual([[], null]);
});
