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
