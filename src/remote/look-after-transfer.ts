import { ReconError } from '../errors.js';
import type { RemoteFolder } from './remote-folder.js';
import { fetchInterruption } from './with-deadline.js';

/**
 * A folder on a server that may close its connection after each transfer. The look at the file that follows its
 * transfer is then done over a new connection: every other try would end in the same way.
 *
 * @param open connects and enters the folder
 */
export async function lookAfterTransfer(
  open: () => Promise<RemoteFolder>,
  signal: AbortSignal,
): Promise<RemoteFolder> {
  let folder = await open();
  let hasTransferred = false;
  let isClosed = false;
  const openAgain = async () => {
    await folder.close();
    folder = await open();
    if (!isClosed) return;
    await folder.close();
    throw fetchInterruption(signal);
  };
  return {
    listsExactTimes: folder.listsExactTimes,
    list: () => folder.list(),
    stat: async (file) => {
      const isAfterTransfer = hasTransferred;
      hasTransferred = false;
      try {
        return await folder.stat(file);
      } catch (thrown) {
        const isLost = thrown instanceof ReconError && thrown.code === 'SOURCE_UNREACHABLE';
        if (!isAfterTransfer || !isLost || isClosed) throw thrown;
        await openAgain();
        return folder.stat(file);
      }
    },
    download: async (file, write) => {
      await folder.download(file, write);
      hasTransferred = true;
    },
    remove: (file) => folder.remove(file),
    move: (file, target, name) => folder.move(file, target, name),
    requireFolder: (target) => folder.requireFolder(target),
    close: () => {
      isClosed = true;
      return folder.close();
    },
  };
}
