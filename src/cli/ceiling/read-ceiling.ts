import { CEILING_NAME, CEILINGS_PATH, type CeilingView, projectCeiling } from '../../controller/cache/ceiling-schema.ts'
import { KubeError } from '../../kube/kube-api.ts'
import type { CliIo } from '../cli-io.ts'
import { connectTo } from '../cluster.ts'
import type { NodeSource } from '../read-nodes.ts'

/** The Ceiling of the cluster; undefined where there is none, or no cluster. One that may not be read is an error. */
export async function readCeiling(io: CliIo, source: NodeSource): Promise<CeilingView | undefined> {
  if (source.nodes !== undefined) return undefined
  try {
    const kube = await connectTo(io, source)
    const { items } = await kube.list(CEILINGS_PATH, { project: projectCeiling })
    return items.find(({ name }) => name === CEILING_NAME)
  } catch (error) {
    if (!(error instanceof KubeError) || error.reaction !== 'refuse') throw error
    // Without the kind there is no Ceiling.
    if (error.code !== 404) io.stderr(`warning: the Ceiling of the cluster is not considered: ${error.message}\n`)
    return undefined
  }
}
