/** For support: a revision and when it was made (operations 2.5). */
export const buildNumber = 'recon-0.1.0@2026-11-21 00:00:00 +0000';
