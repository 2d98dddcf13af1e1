import { expect, test } from 'vitest'
import { ASSIGNMENT_REPLAYED } from '../../../src/protocol/agent-status.ts'
import { decide } from '../../../src/rollout/decide.ts'
import { selected } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const since = noon - 20 * minute
const error = { reason: ASSIGNMENT_REPLAYED, message: 'a later one was accepted before' }

/** The canary is one node of a rollout that came back with a backup. */
function selectedOf(...members: readonly NodeDraft[]): readonly string[] {
  const wave = { index: 1, count: 2, name: 'canary' }
  const waves = [aWave('canary', 1), aWave('rest', '100%')]
  return selected(
    decide(aPool({ head: 'new', stable: 'older', since, waves, wave, maxUnavailable: '100%' }).with(...members), noon),
  )
}

/** Its assignment of the target came back as well; its host has accepted later ones since, and runs this. */
function refused(name: string, active: string): NodeDraft {
  const at = since + minute
  return aNode(name)
    .assignedTo('new', { at })
    .reporting('RolledBack', { active, error, since: noon - 5 * minute })
}

test('nodes whose hosts refuse the target, for it came back from a backup, get it again wave by wave', () => {
  const all = ['a', 'b', 'c'].map((name) => refused(name, 'next'))
  const [first = ''] = selectedOf(...all)
  const begun = all.map((node) => (node.name === first ? aNode(first).assignedTo('new', { at: noon - minute }) : node))

  expect(selectedOf(...all)).toHaveLength(1)
  expect(selectedOf(...begun)).toEqual([])
})

test.each(['a', 'b', 'c'])('node %s, whose host refuses the target, gets it before others that have never had it', (name) => {
  const others = ['a', 'b', 'c'].filter((other) => other !== name).map((other) => aNode(other).on('older'))

  expect(selectedOf(refused(name, 'next'), ...others)).toEqual([name])
})

test('a node that runs the target keeps its place when its host refuses an older assignment of that', () => {
  const others = ['b', 'c'].map((name) => aNode(name).on('older'))

  expect(selectedOf(refused('a', 'new'), refused('b', 'new'), aNode('c').on('older')).toSorted()).toEqual(['a', 'b'])
  expect(selectedOf(refused('a', 'new'), ...others)).toEqual(['a'])
})

test.each(['new', 'relabelled'])(
  'a node whose labels changed keeps its place when its host, which runs %s, refuses an older assignment of the rollout',
  (active) => {
    const waves = [aWave('canary', 1), aWave('rest', '100%')]
    const wave = { index: 1, count: 2, name: 'canary' }
    const options = {
      stable: 'older',
      since,
      waves,
      wave,
      wants: { a: { digest: 'relabelled' } },
      maxUnavailable: '100%',
    } as const
    const others = ['b', 'c'].map((name) => aNode(name).on('older'))

    expect(selected(decide(aPool(options).with(refused('a', active).held(), ...others), noon))).toEqual([])
    expect(selected(decide(aPool(options).with(refused('a', 'next').held(), ...others), noon))).toHaveLength(1)
  },
)
