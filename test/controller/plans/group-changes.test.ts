import { expect, test } from 'vitest'
import type { ChangingNode } from '../../../src/controller/plans/changing-nodes.ts'
import { groupChanges } from '../../../src/controller/plans/group-changes.ts'
import type { Turns } from '../../../src/controller/plans/in-slices.ts'

/** Its flags before and after. */
function aNode(name: string, [before, after]: readonly [string, string]): ChangingNode {
  const node = { name, current: { DIGEST: before }, view: { kubeletVersion: '1.36.3' } }
  return { node: node as unknown as ChangingNode['node'], digest: after }
}

const ALL_AT_ONCE: Turns = { elapsed: () => 0, giveWay: async () => undefined }

/** @returns also how often a content was asked for */
async function grouped(changing: readonly ChangingNode[], turns: Turns = ALL_AT_ONCE) {
  let asked = 0
  const found = await groupChanges(
    {
      changing,
      contentsOf: ({ name, current }) => {
        asked += 1
        const { digest = '' } = changing.find(({ node }) => node.name === name) ?? {}
        return { before: { flags: current?.DIGEST }, after: { flags: digest } }
      },
    },
    { disruption: {} },
    turns,
  )
  return { ...found, asked }
}

test('nodes that change alike are one group, though each has a content of its own', async () => {
  const nodes = ['a', 'b', 'c'].map((name) => aNode(name, [`--v=2 --node-ip=${name}`, `--v=4 --node-ip=${name}`]))
  const { groups, uncompared } = await grouped([...nodes, aNode('d', ['--v=2', '--v=6'])])

  expect(groups.map(({ nodes: names, changes }) => [names, changes])).toEqual([
    [['a', 'b', 'c'], [{ path: ['flags', 'v'], from: '2', to: '4' }]],
    [['d'], [{ path: ['flags', 'v'], from: '2', to: '6' }]],
  ])
  expect(uncompared).toBe(0)
})

test('at most two hundred ways are compared, those of most nodes first', async () => {
  const single = Array.from({ length: 300 }, (_, index) =>
    aNode(`n${index}`, [`--v=2 --node-ip=${index}`, `--v=4 --node-ip=${index}`]),
  )
  const many = ['x', 'y'].map((name) => aNode(name, ['--v=1', '--v=9']))
  const { groups, uncompared, asked } = await grouped([...single, ...many])

  expect(groups.map(({ nodes }) => nodes.length)).toEqual([199, 2])
  expect(uncompared).toBe(101)
  expect(asked).toBe(200)
})

test('comparing gives way to other work between ways that take long', async () => {
  let [now, given] = [0, 0]
  const turns = {
    elapsed: () => {
      now += 20
      return now
    },
    giveWay: async () => {
      given += 1
    },
  }
  await grouped(
    ['a', 'b', 'c'].map((name) => aNode(name, [`--v=2 --node-ip=${name}`, `--v=4 --node-ip=${name}`])),
    turns,
  )
  expect(given).toBe(3)
})
