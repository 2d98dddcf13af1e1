import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import type { Asked } from '../../../src/controller/gates/gate-check.ts'
import { nodeConditions } from '../../../src/controller/gates/node-conditions.ts'
import { namesFor } from '../../../src/protocol/names.ts'

/** Conditions by node. */
type Fleet = Readonly<Record<string, Readonly<Record<string, string>>>>

function nodeWith(name: string, statuses: Readonly<Record<string, string>>) {
  const conditions = Object.entries(statuses).map(([type, status]) => ({ type, status }))
  return projectNode(namesFor())({ metadata: { name }, status: { conditions } })
}

/** @param later what is found when the nodes are read again */
function ask(
  fleet: Fleet,
  { require = [], forbid = [] }: { readonly require?: readonly string[]; readonly forbid?: readonly string[] },
  later: Fleet = {},
) {
  const nodes = new Map(Object.entries(fleet).map(([name, statuses]) => [name, nodeWith(name, statuses)]))
  const refresh = async (): Promise<void> => {
    for (const [name, statuses] of Object.entries(later)) nodes.set(name, nodeWith(name, statuses))
  }
  const asked = { nodes: [...Object.keys(fleet), 'gone'] } as unknown as Asked
  return nodeConditions({ nodes, refresh })({ kind: 'nodeConditions', require, forbid }, asked, new AbortController().signal)
}

test.each([
  ['a forbidden one that is False', { n0: { DiskPressure: 'False' } }, { forbid: ['DiskPressure'] }],
  ['a forbidden one that is not there', { n0: {} }, { forbid: ['KernelDeadlock'] }],
  ['a required one that is True', { n0: { 'example.com/Fine': 'True' } }, { require: ['example.com/Fine'] }],
])('%s holds', async (_, fleet, check) => {
  expect(await ask(fleet, check)).toMatchObject({ verdict: 'Passed' })
})

test.each([
  [
    'a forbidden one that is True',
    { n0: { DiskPressure: 'True' } },
    { forbid: ['DiskPressure'] },
    'DiskPressure is True, wanted False',
  ],
  [
    'a forbidden one that nobody knows',
    { n0: { DiskPressure: 'Unknown' } },
    { forbid: ['DiskPressure'] },
    'DiskPressure is Unknown, wanted False',
  ],
  ['a required one that is False', { n0: { Fine: 'False' } }, { require: ['Fine'] }, 'Fine is False, wanted True'],
  ['a required one that is not there', { n0: {} }, { require: ['Fine'] }, 'Fine is not there, wanted True'],
])('%s does not hold', async (_, fleet, check, message) => {
  expect(await ask(fleet, check)).toEqual({ verdict: 'NotPassed', value: 1, message: `node "n0": ${message}` })
})

test('a condition that the watch has not shown yet does not hold', async () => {
  const fine = { n0: { DiskPressure: 'False' } }

  expect(await ask(fine, { forbid: ['DiskPressure'] }, { n0: { DiskPressure: 'True' } })).toEqual({
    verdict: 'NotPassed',
    value: 1,
    message: 'node "n0": DiskPressure is True, wanted False',
  })
})

test('three nodes are all named, and no others are counted', async () => {
  const fleet = Object.fromEntries(Array.from({ length: 3 }, (_, i) => [`n${i}`, { DiskPressure: 'True' }]))

  expect((await ask(fleet, { forbid: ['DiskPressure'] })).message).toBe(
    'node "n0": DiskPressure is True, wanted False; node "n1": DiskPressure is True, wanted False; ' +
      'node "n2": DiskPressure is True, wanted False',
  )
})

test('of many nodes the first are named, and the others counted', async () => {
  const fleet = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`n${i}`, { DiskPressure: 'True' }]))

  expect((await ask(fleet, { forbid: ['DiskPressure'] })).message).toMatch(
    /^node "n0": .*; node "n1": .*; node "n2": .*; and 2 more$/,
  )
})
