import { atMost } from '../../protocol/desired-config.ts'
import { skewBreach } from '../control-plane/skew.ts'
import { disruptionOf } from '../exposure/eligible.ts'
import type { Member, Picture } from '../model/pool-state.ts'
import type { Restraint } from './blocker.ts'

/** Says why a node may not be taken now, though its pool goes on. */
export type JudgeNode = (member: Member) => Restraint | undefined

/** Each looks at one reason; the first that holds is told. */
const RULES: readonly ((picture: Picture) => JudgeNode)[] = [versionSkew, controlPlane]

export function nodeRestraints(picture: Picture): JudgeNode {
  const judges = RULES.map((rule) => rule(picture))
  return (member) => {
    for (const judge of judges) {
      const restraint = judge(member)
      if (restraint) return restraint
    }
    return undefined
  }
}

/** The pool began when its version was right, and an API server has gone back since; or a node joins that gets the content of before. */
function versionSkew({ pool: { name, fleet } }: Picture): JudgeNode {
  const judged = new Map<string, Restraint | undefined>()
  const judge = (version: string): Restraint | undefined => {
    const breach = fleet?.skew && skewBreach(version, fleet.skew)
    return breach && { reason: 'VersionSkew', message: `pool "${name}": ${breach.message}`, stalls: !breach.passes }
  }
  return ({ wanted }) => {
    if (wanted.kind === 'problem' || wanted.version === undefined) return undefined
    if (!judged.has(wanted.version)) judged.set(wanted.version, judge(wanted.version))
    return judged.get(wanted.version)
  }
}

function controlPlane({ pool: { fleet } }: Picture): JudgeNode {
  return (member) => {
    const { name } = member.node
    const hindrance = fleet?.controlPlane?.get(name)
    if (!hindrance || (hindrance.sparesBroken && isPutRight(member))) return undefined
    const reason = hindrance.kind === 'turn' ? 'WaitingForBudget' : 'ControlPlaneUnhealthy'
    return { reason, message: `"${name}" waits: ${hindrance.message}`, stalls: false }
  }
}

/**
 * A roll-out has left it down, and starting its kubelet anew ends no container: an etcd member that runs on without its kubelet, and that the
 * others may need, lives through it. A drain or a reboot it might not.
 */
function isPutRight(member: Member): boolean {
  return member.broken && atMost(disruptionOf(member), 'restart')
}
