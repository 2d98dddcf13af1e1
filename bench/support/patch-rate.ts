import { forEach, throwFirst } from '../../src/controller/writes/for-each.ts'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { type ClusterCpu, cpuBetween } from './cluster-processes.ts'
import { timed } from './report.ts'

const PATCHES = 1000
/** More buys latency only. */
const IN_FLIGHT = 20

export interface PatchRate {
  /** Patches a second. */
  readonly rate: number
  /** Milliseconds of CPU that the control plane used for one. */
  readonly cpu: number
}

export interface Patched {
  readonly nodes: readonly string[]
  readonly cpu: () => Promise<ClusterCpu>
}

/** Merge patches of one small annotation that the server grants in a second; the nodes are taken in turn. */
export async function measurePatchRate(kube: KubeApi, { nodes, cpu }: Patched): Promise<PatchRate> {
  const turns = Array.from({ length: PATCHES }, (_, index) => ({ node: nodes[index % nodes.length], index }))
  const body = (index: number) => ({ metadata: { annotations: { 'bench.example.com/turn': `${performance.now()} ${index}` } } })
  const patch = async ({ node, index }: (typeof turns)[number]) => void (await kube.patch(`/api/v1/nodes/${node}`, body(index)))
  const work = async () => throwFirst([...(await forEach(turns, { atOnce: IN_FLIGHT }, patch)).values()])
  const before = await cpu()
  const rate = PATCHES / ((await timed(work)) / 1000)
  return { rate, cpu: cpuBetween(before, await cpu()) / PATCHES }
}
