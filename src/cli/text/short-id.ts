/** As much of a DiscrepancyId as lists show. `recon decide` and `recon explain` accept it if no other begins alike. */
export const shortId = (discrepancyId: string): string => discrepancyId.slice(0, 12);
