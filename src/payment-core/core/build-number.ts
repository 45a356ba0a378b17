import { readPackageVersion } from '../../package-version.js';

const { version, releasedAt } = readPackageVersion();

/** For support: a revision and when it was made (operations 2.5). */
export const buildNumber = `recon-${version}@${releasedAt}`;
