import { expect, test } from 'vitest'
import { decidesOfRule } from '../../../src/controller/ceilings/rule-labels.ts'
import type { Ceiling, CeilingRule } from '../../../src/rollout/model/ceiling.ts'

const rule = (...labels: readonly string[]): CeilingRule => ({
  place: 'spec.rules[0]',
  ...(labels.length > 0 && { nodeSelector: { matchLabels: Object.fromEntries(labels.map((label) => [label, 'x'])) } }),
})

test.each<readonly [what: string, ceiling: Ceiling | undefined, decides: boolean]>([
  ['there is no Ceiling', undefined, false],
  ['the Ceiling cannot be read', { rules: [], unreadable: 'no such field' }, true],
  ['no rule selects', { rules: [rule()] }, false],
  ['a rule selects by it', { rules: [rule('tier')] }, true],
  ['a rule selects by it among others', { rules: [rule('rack', 'tier')] }, true],
  ['one of two rules selects by it', { rules: [rule('rack'), rule('tier')] }, true],
  ['rules select by others', { rules: [rule('rack'), rule()] }, false],
])('a label decides of rules, or not, when %s', (_, ceiling, decides) => {
  expect(decidesOfRule('tier', ceiling)).toBe(decides)
})
