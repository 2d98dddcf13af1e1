/** Loads a fleet of 2,000 small files: all of them new, then none. `node bench/load-fleet.ts` */
import type { RepoFile } from '../src/protocol/repo-snapshot.ts'
import { createLoader } from '../src/repo/load-fleet.ts'

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
for (const what of ['all new', 'unchanged', 'unchanged']) {
  const start = performance.now()
  const { problems } = load(files)
  console.log(`${files.size} files, ${what}: ${(performance.now() - start).toFixed(0)} ms, ${problems.length} problems`)
}

function add(path: string, text: string): void {
  files.set(path, { kind: 'file', bytes: new TextEncoder().encode(`${text}\n`), blobId: path })
}

function document(kind: string, name: string, spec: string): string {
  return `apiVersion: nodewave.io/v1alpha1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${spec}`
}
