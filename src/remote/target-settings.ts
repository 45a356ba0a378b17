import type { SftpLogin } from './source-settings.js';

/** Where reports are delivered to (design 11). */
export type DeliveryTarget = LocalTarget | SftpTarget;

interface CommonTarget {
  readonly name: string;
  /** It must exist: a folder that is missing may be a disk that is not mounted. */
  readonly folder: string;
  /** Tries per run, with growing pauses. */
  readonly attempts: number;
}

/** A folder of this machine that reports are delivered to. */
export interface LocalTarget extends CommonTarget {
  readonly protocol: 'local';
}

/** A folder on an SFTP server that reports are delivered to, with its secrets read. */
export interface SftpTarget extends CommonTarget, SftpLogin {
  readonly protocol: 'sftp';
  readonly kind: 'delivery target';
  /** A transfer ends when the server confirms nothing for this long. */
  readonly stallTimeoutMs: number;
  /** The transfer of one file ends after this time. */
  readonly fileTimeoutMs: number;
}

/** What a target has where nothing else is set. */
export const targetDefaults = { attempts: 4 } as const;
