import { requestKinds, type RequestKind } from '../../fields/request-kinds.js';
import { cardOnFileRules } from './card-on-file-rules.js';
import { coreRules } from './core-rules.js';
import { instrumentRules } from './instrument-rules.js';
import { jobRules } from './job-rules.js';
import { marketplaceRules } from './marketplace-rules.js';
import type { Rule } from './rule.js';
import { searchRules } from './search-rules.js';
import { shopperRules } from './shopper-rules.js';
import { threeDSecureRules } from './three-d-secure-rules.js';

/** Every cross-field rule, in the order in which violations are reported. */
export const rules: readonly Rule[] = [
  ...coreRules,
  ...cardOnFileRules,
  ...instrumentRules,
  ...shopperRules,
  ...marketplaceRules,
  ...threeDSecureRules,
  ...jobRules,
  ...searchRules,
];

const rulesByKind: ReadonlyMap<RequestKind, readonly Rule[]> = new Map(
  requestKinds.map((kind) => [kind, rules.filter((rule) => rule.kinds.includes(kind))]),
);

/** The rules that apply to a kind of request, in the same order. */
export function rulesOf(kind: RequestKind): readonly Rule[] {
  return rulesByKind.get(kind) ?? [];
}
