/** As much of a DiscrepancyId as people are shown: `recon decide` accepts it where no other id begins like it. */
export const shortId = (discrepancyId: string): string => discrepancyId.slice(0, 12);
