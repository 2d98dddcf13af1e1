/**
 * `node bench/render.ts [--nodes N]`: how long the nodes of a large fleet take to render after a commit that changes all of them, and after one that
 * changes none. Figures are medians, in milliseconds.
 */
import type { RepoFile } from '../src/protocol/repo-snapshot.ts'
import { createRenderer, type Renderer } from '../src/render/create-renderer.ts'
import type { NodeFacts } from '../src/render/node-facts.ts'
import { loadFleet } from '../src/repo/load-fleet.ts'
import type { FleetModel } from '../src/repo/model.ts'
import { type Figure, median, print, readOptions, timed } from './support/report.ts'

const POOLS = 5
const RUNS = 9
const options = readOptions()
const count = options.nodes ?? 15_000

const nodes = Array.from({ length: count }, (_, index): NodeFacts => {
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

const figures: Figure[] = []
for (const [what, flags] of [
  ['flags alike on all nodes of a pool', '{v: 2}'],
  ['a flag by zone', '{node-labels: "zone={{ node.labels.zone }}"}'],
  ['a flag by node', '{node-ip: "{{ node.internalIP }}"}'],
] as const) {
  const fleet = fleetWith(flags)
  const renderer = createRenderer(fleet)
  const named = `render ${count} nodes in ${POOLS} pools, ${what}`
  figures.push(await figure(`${named}: all change`, () => renderAll(createRenderer(fleet))))
  renderAll(renderer)
  figures.push(await figure(`${named}: none changes`, () => renderAll(renderer)))
}
print(figures, options)

function renderAll(renderer: Renderer): void {
  for (const node of nodes) {
    const owner = renderer.poolOf(node)
    if (owner.kind !== 'owned' || !renderer.render(owner.pool, node).ok)
      throw new Error(`render "${node.name}": every node must render`)
  }
}

async function figure(name: string, work: () => void): Promise<Figure> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run += 1) times.push(await timed(work))
  return { name, value: median(times), unit: 'ms' }
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
