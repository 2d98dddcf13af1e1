import { goesDown, skewBreach } from '../control-plane/skew.ts'
import type { Blocker } from '../model/blocker.ts'
import type { NodeView } from '../model/node-view.ts'
import { recallRevision } from '../model/remembered-revision.ts'
import type { Memory, PoolSnapshot, Revision } from '../model/snapshot.ts'
import { listNames } from '../model/text.ts'

/** The newest commit wants a kubelet that some API server does not take. */
export function skewedVersion({ name, head, fleet }: PoolSnapshot): Blocker | undefined {
  if (!fleet?.skew) return undefined
  for (const version of versionsOf(head)) {
    const breach = skewBreach(version, fleet.skew)
    if (breach) return { reason: 'VersionSkew', message: `pool "${name}": ${breach.message}`, stalls: !breach.passes }
  }
  return undefined
}

/**
 * The newest commit takes kubelets back over a minor, which Kubernetes promises nothing about, and nobody has consented. A revert is
 * not held up: what the pool has run before, it can run again.
 */
export function unwantedDowngrade(pool: PoolSnapshot): Blocker | undefined {
  const { name, policy, memory, head } = pool
  if (policy.allowDowngrade || hasRun(memory, head)) return undefined
  const before = recallRevision(pool, memory.target)
  const isDown = remembered(goesDown)
  const down = pool.nodes.filter((node) => isDown(versionBefore(node, before), versionFor(node, head)))
  const [first] = down
  if (!first) return undefined
  const change = `${versionBefore(first, before)} → ${versionFor(first, head)}`
  const message = `pool "${name}": kubelet ${change} goes back by a minor version on ${listNames(down.map((node) => node.name))}`
  return { reason: 'VersionSkew', message: `${message}; to allow it, set rollout.allowDowngrade: true`, stalls: true }
}

/** Thousands of nodes have a few versions between them. */
function remembered(judge: typeof goesDown): typeof goesDown {
  const known = new Map<string | undefined, Map<string | undefined, boolean>>()
  return (from, to) => {
    const judged = known.get(from) ?? new Map<string | undefined, boolean>()
    known.set(from, judged)
    const verdict = judged.get(to) ?? judge(from, to)
    judged.set(to, verdict)
    return verdict
  }
}

/** Also in part: a rollout that was superseded in the middle must be within reach of a revert. */
export function hasRun(
  { stable, history = [] }: Partial<Pick<Memory, 'stable' | 'history'>>,
  { fingerprint }: Pick<Revision, 'fingerprint'>,
): boolean {
  return stable?.fingerprint === fingerprint || history.some((rollout) => rollout.fingerprint === fingerprint)
}

/** What the node is being brought to anyway counts, where the pool says; else what runs on it. */
function versionBefore(node: NodeView, before: Revision | undefined): string | undefined {
  return versionFor(node, before) ?? node.kubeletVersion
}

function versionFor({ name }: NodeView, revision: Revision | undefined): string | undefined {
  const wanted = revision?.wanted.get(name)
  return wanted?.kind === 'config' ? wanted.version : undefined
}

function versionsOf({ wanted }: Revision): ReadonlySet<string> {
  const versions = new Set<string>()
  for (const [, each] of wanted) if (each.kind === 'config' && each.version !== undefined) versions.add(each.version)
  return versions
}
