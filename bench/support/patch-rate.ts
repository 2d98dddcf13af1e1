import { forEach, throwFirst } from '../../src/controller/execution/for-each.ts'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { timed } from './report.ts'

const PATCHES = 1000
/** More buys latency only. */
const IN_FLIGHT = 20

/** Merge patches of one small annotation that the server grants in a second; the nodes are taken in turn. */
export async function measurePatchRate(kube: KubeApi, nodes: readonly string[]): Promise<number> {
  const turns = Array.from({ length: PATCHES }, (_, index) => ({ node: nodes[index % nodes.length], index }))
  const body = (index: number) => ({ metadata: { annotations: { 'bench.example.com/turn': `${performance.now()} ${index}` } } })
  const patch = async ({ node, index }: (typeof turns)[number]) => void (await kube.patch(`/api/v1/nodes/${node}`, body(index)))
  const work = async () => throwFirst([...(await forEach(turns, { atOnce: IN_FLIGHT }, patch)).values()])
  return PATCHES / ((await timed(work)) / 1000)
}
