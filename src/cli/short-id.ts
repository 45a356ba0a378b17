/** As much of a DiscrepancyId as lists show: enough for `recon decide` and `recon explain` if only one begins with it. */
export const shortId = (discrepancyId: string): string => discrepancyId.slice(0, 12);
