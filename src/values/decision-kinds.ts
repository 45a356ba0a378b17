/** What a person can decide about an item (design 4.9); the words of `recon decide`, of a sheet and of the database. */
export const decisionKinds = [
  'accept',
  'wait',
  'link',
  'unlink',
  'supersede',
  'keep-both',
  'assign',
  'note',
  'approve',
  'undo',
] as const;
/** See {@link decisionKinds}. */
export type DecisionKind = (typeof decisionKinds)[number];
