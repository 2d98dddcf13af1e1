import type { FleetSnapshot } from '../../../../src/rollout/decide-fleet.ts'
import { NO_MEMORY, type NodeTarget, type PoolSnapshot, type Revision } from '../../../../src/rollout/model/snapshot.ts'
import { aPod } from '../../builders/pods.ts'
import { policyOf, shareOf } from '../../builders/policies.ts'
import { digestFor, TARGETS } from './contents.ts'
import type { FleetOptions } from './steps.ts'
import { type Commit, POOLS, type SimNode, type World } from './world.ts'

export function snapshotOf(world: World, nodes: readonly SimNode[]): FleetSnapshot {
  const pools = world.options.pools.map((_, index): PoolSnapshot => {
    const name = POOLS[index] ?? ''
    const members = nodes.filter(({ pool }) => pool === name)
    const known = world.commits.map((commit) => revisionOf(commit, name, { members, options: world.options }))
    const answers = world.answers.get(name)
    return {
      name,
      policy: world.policies[index] ?? policyOf({}),
      nodes: members.map(({ view }) => view),
      pods: new Map(
        members
          .filter(({ view }) => view.unschedulable && view.mark)
          .map(({ view, hasPods }) => [view.name, { kind: 'known', pods: hasPods ? [aPod(`pod-${view.name}`)] : [] }]),
      ),
      proofs: {
        kind: 'known',
        pods: new Map([...world.proofs].filter(([node]) => members.some(({ view }) => view.name === node))),
      },
      head: revisionOf(world.head, name, { members, options: world.options }),
      known: new Map(known.map((each) => [each.revision, each])),
      memory: world.statuses.get(name) ?? NO_MEMORY,
      controls: world.controls.get(name) ?? {},
      ...(answers && { gateAnswers: answers }),
      ...(world.steadySince !== undefined && { steadySince: world.steadySince }),
      ...(world.watchedSince !== undefined && { watchedSince: world.watchedSince }),
      ...(world.listedAt !== undefined && { listedAt: world.listedAt }),
    }
  })
  const { maxUnavailable, maxFailures, isControlPlane } = world.options
  return {
    pools,
    strays: nodes.filter(({ pool }) => pool === undefined).map(({ view }) => view),
    policy: {
      ...(maxUnavailable !== undefined && { maxUnavailable: shareOf(maxUnavailable) }),
      ...(maxFailures !== undefined && { maxFailures: shareOf(maxFailures) }),
    },
    controls: world.fleetControls,
    ...(isControlPlane && { controlPlane: { nodes: nodes.map(({ view }) => view), instances: [], answers: ['1.36.3'] } }),
  }
}

interface Rendered {
  readonly members: readonly SimNode[]
  readonly options: FleetOptions
}

function revisionOf({ revision, contents }: Commit, name: string, { members, options }: Rendered): Revision {
  const content = contents.get(name) ?? 'first'
  return {
    revision,
    fingerprint: `of ${content}`,
    wanted: new Map(members.map(({ view }) => [view.name, targetOf(digestFor(content, view, options))])),
  }
}

function targetOf(digest: string): NodeTarget {
  const target = TARGETS.get(digest)
  if (!target) throw new Error(`no content has the digest "${digest}"`)
  return target
}
