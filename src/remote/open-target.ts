import { openLocalTarget } from './local-target.js';
import { openSftpTarget } from './sftp-target.js';
import type { TargetFolder } from './target-folder.js';
import type { DeliveryTarget } from './target-settings.js';

/**
 * Opens the place that reports are delivered to. No other code depends on the protocol.
 *
 * @param fileMode the permission bits of new files; folders get matching execute bits
 */
export function openTarget(
  target: DeliveryTarget,
  fileMode: number,
  signal: AbortSignal,
): Promise<TargetFolder> {
  return target.protocol === 'local'
    ? openLocalTarget(target, fileMode)
    : openSftpTarget(target, fileMode, signal);
}
