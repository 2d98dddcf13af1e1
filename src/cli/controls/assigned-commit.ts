import type { KubeApi } from '../../kube/kube-api.ts'
import { parseDesiredConfig } from '../../protocol/desired-config.ts'
import { namesFor } from '../../protocol/names.ts'
import type { RevisionRef } from '../../protocol/node-pool.ts'
import { denotes } from '../../rollout/model/remembered-revision.ts'

interface Asked {
  readonly pool: string
  /** At least seven characters of the commit. */
  readonly commit: string
  readonly annotationPrefix: string
}

/** A commit that the pool assigned to a node: after a restore its status may know nothing of that. */
export async function assignedCommit(kube: KubeApi, { pool, commit, annotationPrefix }: Asked): Promise<RevisionRef | undefined> {
  const { desiredConfig } = namesFor(annotationPrefix)
  const { items } = await kube.list('/api/v1/nodes', {
    project: ({ metadata: { annotations } }) => assignedBy(pool, annotations?.[desiredConfig]),
  })
  const revision = items.find((assigned) => assigned !== undefined && denotes(commit, { revision: assigned }))
  return revision === undefined ? undefined : { revision, fingerprint: '' }
}

function assignedBy(pool: string, annotation = ''): string | undefined {
  try {
    const { POOL, REVISION } = parseDesiredConfig(annotation)
    return POOL === pool ? REVISION : undefined
  } catch {
    return undefined
  }
}
