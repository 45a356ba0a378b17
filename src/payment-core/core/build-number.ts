import { readPackageVersion } from '../../package-version.js';

const { version, releasedAt } = readPackageVersion();

/** For support: the version and its release date (operations 2.5). */
export const buildNumber = `recon-${version}@${releasedAt}`;
