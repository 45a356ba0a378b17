import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

/**
 * This machine in the name of a folder that one of its processes is using: machines and containers may share the place
 * where it stands, and a name of a host may have characters that a name of a folder must not have.
 */
export const hostMark = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
