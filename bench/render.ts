/**
 * `node bench/render.ts`: how long the nodes of a large fleet take to render after a commit that changes all of them, and after one that
 * changes none. Figures are medians, in milliseconds.
 */
import type { RepoFile } from '../src/protocol/repo-snapshot.ts'
import { createRenderer, type Renderer } from '../src/render/create-renderer.ts'
import type { NodeFacts } from '../src/render/node-facts.ts'
import { loadFleet } from '../src/repo/load-fleet.ts'
import type { FleetModel } from '../src/repo/model.ts'

const POOLS = 5
const NODES = 15_000
const RUNS = 9

const nodes = Array.from({ length: NODES }, (_, index): NodeFacts => {
  const labels = {
    pool: `p${index % POOLS}`,
    zone: `zone-${index % 3}`,
    'kubernetes.io/hostname': `node-${index}`,
    rack: `r${index % 40}`,
  }
  return {
    name: `node-${index}`,
    labels,
    arch: 'amd64',
    osImage: 'Debian GNU/Linux 12 (bookworm)',
    internalIP: `10.${index >> 8}.${index & 255}.1`,
  }
})

for (const [what, flags] of [
  ['flags alike on all nodes of a pool', '{v: 2}'],
  ['a flag by zone', '{node-labels: "zone={{ node.labels.zone }}"}'],
  ['a flag by node', '{node-ip: "{{ node.internalIP }}"}'],
] as const) {
  const fleet = fleetWith(flags)
  const renderer = createRenderer(fleet)
  const all = median(() => renderAll(createRenderer(fleet)))
  renderAll(renderer)
  const none = median(() => renderAll(renderer))
  console.log(`${NODES} nodes, ${POOLS} pools, ${what}: all change ${all.toFixed(1)} ms, none changes ${none.toFixed(1)} ms`)
}

function renderAll(renderer: Renderer): void {
  for (const node of nodes) {
    const owner = renderer.poolOf(node)
    if (owner.kind !== 'owned' || !renderer.render(owner.pool, node).ok)
      throw new Error(`render "${node.name}": every node must render`)
  }
}

function median(work: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return times.sort((a, b) => a - b)[RUNS >> 1] ?? 0
}

function fleetWith(flags: string): FleetModel {
  const fields = 'maxPods: 110, serializeImagePulls: false, evictionHard: {memory.available: 100Mi, nodefs.available: 10%}'
  const documents = [
    'kind: Fleet\nmetadata: {name: fleet}\nspec: {}',
    `kind: KubeletConfig\nmetadata: {name: base}\nspec: {config: {${fields}}}`,
    `kind: HostProfile\nmetadata: {name: debian}\nspec: {files: [{path: /etc/big, content: "${'some text '.repeat(400)}"}]}`,
    ...Array.from(
      { length: POOLS },
      (_, pool) =>
        `kind: NodePool\nmetadata: {name: p${pool}}\nspec: {nodeSelector: {matchLabels: {pool: p${pool}}}, kubelet: {flags: ${flags}, config: [base]}, hostProfiles: [debian]}`,
    ),
  ]
  const text = documents.map((document) => `apiVersion: nodewave.io/v1alpha1\n${document}\n`).join('---\n')
  const { model, problems } = loadFleet(new Map<string, RepoFile>([['fleet.yaml', { kind: 'file', bytes: Buffer.from(text) }]]))
  if (model === undefined) throw new Error(`load the fleet: ${problems.map(({ message }) => message).join('; ')}`)
  return model
}
