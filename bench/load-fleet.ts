/** `node bench/load-fleet.ts`: how long a fleet of 2,000 small files takes to load: all of them new, then none. Figures are in milliseconds. */
import type { RepoFile } from '../src/protocol/repo-snapshot.ts'
import { createLoader } from '../src/repo/load-fleet.ts'
import { print, readOptions, timed } from './support/report.ts'

const options = readOptions()
const files = new Map<string, RepoFile>()
add('fleet.yaml', document('Fleet', 'fleet', 'spec: {}'))
for (let n = 0; n < 100; n++) {
  const kubelet = `kubelet: {version: "1.36.3", layout: env, flagSets: [f${n}], config: [c${n}]}`
  add(`pools/${n}.yaml`, document('NodePool', `p${n}`, `spec:\n  nodeSelector: {matchLabels: {pool: "p${n}"}}\n  ${kubelet}`))
  add(`flags/${n}.yaml`, document('FlagSet', `f${n}`, 'spec:\n  flags:\n    v: 2\n    node-labels: {a: b}'))
  add(`config/${n}.yaml`, document('KubeletConfig', `c${n}`, 'spec:\n  config:\n    maxPods: 110\n    clusterDNS: [10.96.0.10]'))
}
for (let n = 0; n < 1699; n++)
  add(
    `nodes/${n}.yaml`,
    document('NodeOverride', `n${n}`, `spec:\n  node: n${n}\n  flags: {node-ip: 10.0.0.1}\n  config: {maxPods: 60}`),
  )

const load = createLoader()
const figures = []
for (const what of ['all new', 'unchanged', 'unchanged again'])
  figures.push({ name: `${files.size} files, ${what}`, value: await timed(read), unit: 'ms' as const })
print(figures, options)

function read(): void {
  const { problems } = load(files)
  if (problems.length > 0) throw new Error(`load the fleet: ${problems.length} problems`)
}

function add(path: string, text: string): void {
  files.set(path, { kind: 'file', bytes: new TextEncoder().encode(`${text}\n`), blobId: path })
}

function document(kind: string, name: string, spec: string): string {
  return `apiVersion: nodewave.io/v1alpha1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${spec}`
}
