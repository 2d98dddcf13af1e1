import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ClusterNode, projectNode } from '../../../src/controller/cache/cluster-node.ts'
import type { Ownership } from '../../../src/controller/fleet/compiled-fleet.ts'
import type { Owners } from '../../../src/controller/snapshot/assign-members.ts'
import { NodeRoster } from '../../../src/controller/snapshot/node-roster.ts'
import { formatAgentStatus } from '../../../src/protocol/agent-status.ts'
import { formatCordonMark } from '../../../src/protocol/cordon-mark.ts'
import { formatDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { namesFor } from '../../../src/protocol/names.ts'

const names = namesFor()
const project = projectNode(names)
const DIGEST = `v1:${'a'.repeat(64)}`
const ROLE = 'node-role.kubernetes.io/control-plane'

interface Seen {
  readonly name: string
  readonly pool: string
  readonly label: string
  readonly commit: string
  readonly isDrained: boolean
  readonly hasFailed: boolean
  readonly hasRole: boolean
}

function aNode({ name, pool, label, commit, isDrained, hasFailed, hasRole }: Seen): ClusterNode {
  const error = { reason: 'Boom', message: `${name} failed` }
  const annotations = {
    [names.currentConfig]: formatDesiredConfig({ REVISION: commit, DIGEST }),
    [names.desiredConfig]: formatDesiredConfig({ REVISION: `next after ${commit}`, DIGEST, POOL: pool }),
    ...(hasFailed && {
      [names.status]: formatAgentStatus({ phase: 'Failed', error, since: '2026-11-20T08:00:00Z', agent: '0.1.0' }),
    }),
    ...(isDrained && { [names.cordonedFor]: formatCordonMark({ state: 'Ours', digest: DIGEST, at: 0 }) }),
  }
  const labels = { pool, [names.pool]: label, ...(hasRole && { [ROLE]: '' }) }
  return project({ metadata: { name, resourceVersion: '1', labels, annotations }, spec: { unschedulable: isDrained } })
}

function fleetOf(pools: readonly string[]): Owners {
  const ownerOf = ({ labels: { pool = '' } }: { readonly labels: Readonly<Record<string, string>> }): Ownership => {
    if (pool === 'both') return { kind: 'contested', pools, message: 'claimed twice' }
    return pools.includes(pool) ? { kind: 'owned', pool } : { kind: 'unowned' }
  }
  return { pools: new Map(pools.map((name) => [name, undefined])), ownerOf }
}

const pool = fc.constantFrom('a', 'b', 'both', 'none')
const seen = (name: string) =>
  fc.record({
    ...{ name: fc.constant(name), pool, label: fc.constantFrom('a', 'b'), commit: fc.constantFrom('1', '2') },
    ...{ isDrained: fc.boolean(), hasFailed: fc.boolean(), hasRole: fc.boolean() },
  })

/** Some nodes in some order; each one twice, so that lists that follow one another share some. */
const fleets = fc
  .tuple(...['n0', 'n1', 'n2', 'n3', 'n4'].flatMap((name) => [seen(name), seen(name)]))
  .map((all) => all.map(aNode))
  .chain((nodes) => fc.array(fc.shuffledSubarray(nodes).map(eachOnce), { minLength: 1, maxLength: 6 }))

function eachOnce(nodes: readonly ClusterNode[]): readonly ClusterNode[] {
  return [...new Map(nodes.map((node) => [node.name, node])).values()]
}

function lookAt(roster: NodeRoster, nodes: readonly ClusterNode[], fleet: Owners) {
  const list = roster.list(nodes)
  return {
    byName: nodes.map(({ name }) => list.get(name)),
    commits: roster.commitsOnNodes(list),
    underDrain: roster.underDrain(list),
    ofControlPlane: roster.ofControlPlane(list),
    events: roster.events(list),
    members: roster.members(list, fleet),
  }
}

test('a roster that has seen other lists says of each list what a new one says', () => {
  const compiled = [fleetOf(['a', 'b']), fleetOf(['b'])] as const
  fc.assert(
    fc.property(fleets, fc.array(fc.nat(1), { minLength: 6, maxLength: 6 }), (lists, which) => {
      const roster = new NodeRoster()
      for (const [index, nodes] of lists.entries()) {
        const fleet = compiled[which[index] === 1 ? 1 : 0]
        expect(lookAt(roster, nodes, fleet)).toEqual(lookAt(new NodeRoster(), nodes, fleet))
      }
    }),
  )
})

test('a roster finds what nodes show', () => {
  const shown = { pool: 'a', label: 'a', commit: '1', isDrained: false, hasFailed: false, hasRole: false }
  const drained = aNode({ ...shown, name: 'n0', isDrained: true })
  const failed = aNode({ ...shown, name: 'n1', hasFailed: true, commit: '2' })
  const moved = aNode({ ...shown, name: 'n2', label: 'b', hasRole: true })
  const { members, events, ...found } = lookAt(new NodeRoster(), [drained, failed, moved], fleetOf(['a', 'b']))
  expect(found).toEqual({
    byName: [drained, failed, moved],
    commits: new Set(['1', '2', 'next after 1', 'next after 2']),
    underDrain: [drained],
    ofControlPlane: [moved],
  })
  expect(events).toEqual([{ object: { kind: 'Node', name: 'n1' }, type: 'Warning', reason: 'Boom', message: 'n1 failed' }])
  expect(members.mislabelled).toEqual([{ kind: 'label', node: 'n2', pool: 'a' }])
})
