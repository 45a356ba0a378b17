import { openLocalTarget } from './local-target.js';
import type { TargetFolder } from './target-folder.js';
import type { DeliveryTarget } from './target-settings.js';

/**
 * Opens the place that reports are delivered to. No other code depends on the protocol.
 *
 * @param fileMode the permission bits of new files; folders get matching execute bits
 */
export async function openTarget(
  target: DeliveryTarget,
  fileMode: number,
  signal: AbortSignal,
): Promise<TargetFolder> {
  if (target.protocol === 'local') return openLocalTarget(target, fileMode);
  // Loaded when it is needed, as for sources.
  const { openSftpTarget } = await import('./sftp-target.js');
  return openSftpTarget(target, fileMode, signal);
}
