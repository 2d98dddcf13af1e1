import { atMost } from '../../protocol/desired-config.ts'
import { skewBreach } from '../control-plane/skew.ts'
import { disruptionOf } from '../exposure/disruption.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { askedBeyondCeiling } from './ceiling.ts'
import { failedAfterCompletion } from './failed-after-completion.ts'
import { rebootOrder } from './reboot-order.ts'

/** Says why a node may not be taken now, though its pool goes on. */
export type JudgeNode = (member: Member) => Blocker | undefined

/** Each looks at one reason; the first that holds is reported. The last one lets one new node through, which no other may keep. */
const RULES: readonly ((poolState: PoolState) => JudgeNode)[] = [
  rebootOrder,
  askedBeyondCeiling,
  versionSkew,
  controlPlane,
  failedAfterCompletion,
]

export function nodeBlockers(poolState: PoolState): JudgeNode {
  const judges = RULES.map((rule) => rule(poolState))
  return (member) => {
    for (const judge of judges) {
      const blocker = judge(member)
      if (blocker) return blocker
    }
    return undefined
  }
}

/** The pool began when its version was right, and an API server has gone back since; or a node joins that gets the content of before. */
function versionSkew({ pool: { name, fleet } }: PoolState): JudgeNode {
  const judged = new Map<string, Blocker | undefined>()
  const judge = (version: string): Blocker | undefined => {
    const breach = fleet?.skew && skewBreach(version, fleet.skew)
    return breach && { reason: 'VersionSkew', message: `pool "${name}": ${breach.message}`, stalls: !breach.passes }
  }
  return ({ wanted }) => {
    if (wanted.kind === 'problem' || wanted.version === undefined) return undefined
    if (!judged.has(wanted.version)) judged.set(wanted.version, judge(wanted.version))
    return judged.get(wanted.version)
  }
}

function controlPlane({ pool: { fleet } }: PoolState): JudgeNode {
  return (member) => {
    const { name } = member.node
    const found = fleet?.controlPlane?.get(name)
    if (!found || (found.sparesBroken && isRepair(member))) return undefined
    const reason = found.kind === 'turn' ? 'WaitingForBudget' : 'ControlPlaneUnhealthy'
    return { reason, message: `"${name}" waits: ${found.message}`, stalls: false, byNode: found.node }
  }
}

/**
 * A rollout has left it down, and starting its kubelet again ends no container: an etcd member that runs on without its kubelet, and that the
 * others may need, lives through it. A drain or a reboot it might not.
 */
function isRepair(member: Member): boolean {
  return member.broken && atMost(disruptionOf(member), 'restart')
}
