// Lint: what a contract that parses still may not say, or should think about. The list reads like a table of contents.
import type { Draft } from "./draft.ts";
import type { Finding } from "./finding.ts";
import { namedColumnsExist, typesCarryTheCheck } from "./lint/columns.ts";
import { everyKeyIsHeeded, keysBelongTogether } from "./lint/keys.ts";
import {
  boundsHoldSomething,
  clocksExist,
  emptyNeedsAReason,
  everyAssertionCanFail,
  patternsArePortable,
  zonesExist,
} from "./lint/meaning.ts";
import type { Rule } from "./lint/rule.ts";
import { sourceIsPlain } from "./lint/source.ts";
import { blocksAgree, onlyWhatRuns } from "./lint/supported.ts";
import { columnsAreTyped, indexesFit, targetIsOurs } from "./lint/target.ts";
import { namesAreUnique, waiversAreApproved } from "./lint/waivers.ts";

const RULES: readonly Rule[] = [
  onlyWhatRuns,
  blocksAgree,
  sourceIsPlain,
  targetIsOurs,
  columnsAreTyped,
  indexesFit,
  namesAreUnique,
  waiversAreApproved,
  everyKeyIsHeeded,
  keysBelongTogether,
  namedColumnsExist,
  typesCarryTheCheck,
  everyAssertionCanFail,
  boundsHoldSomething,
  zonesExist,
  patternsArePortable,
  clocksExist,
  emptyNeedsAReason,
];

/** Everything that the rules find in a draft; `today` decides whether a waiver has ended (a day in UTC). */
export const lintContract = (draft: Draft, today: Date): readonly Finding[] =>
  RULES.flatMap((rule) => rule(draft, today));
