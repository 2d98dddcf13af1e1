/** The chart, made as `npm run chart` makes it, and the real helm. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { buildBinaries } from '../build/binaries.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { output, type RunOptions, type RunResult, run } from '../exec.ts'
import { check } from '../scenario.ts'
import { checkout } from './checkout.ts'

export interface Chart {
  readonly folder: string
  helm(args: readonly string[], options?: RunOptions): Promise<RunResult>
}

export async function chartFor(cluster: Cluster): Promise<Chart> {
  const out = join(cluster.slot.dir, 'chart')
  await run(process.execPath, [join(checkout, 'scripts/chart/main.ts'), '--out', out])
  const path = (await buildBinaries(['helm'], () => undefined))('helm')
  const homes = Object.fromEntries(['CACHE', 'CONFIG', 'DATA'].map((name) => [`HELM_${name}_HOME`, join(out, 'home', name)]))
  const env = { ...homes, KUBECONFIG: cluster.kubeconfig }
  return { folder: join(out, 'nodewave'), helm: (args, options = {}) => run(path, args, { ...options, env }) }
}

/** Kind, namespace and name → the object. */
type Objects = ReadonlyMap<string, Record<string, unknown>>

/** The chart and the kustomization are one source: with its defaults it gives the same objects, with all its switches all of deploy/. */
export async function checkOneSource(cluster: Cluster, { folder, helm }: Chart): Promise<void> {
  const values = parse((await helm(['show', 'values', folder])).stdout) as Record<string, object>
  const switches = Object.keys(values).filter((name) => Object.hasOwn(values[name] ?? {}, 'enabled'))
  const template = async (...args: string[]) => {
    const url = 'repository.url=https://git.example.com/fleet.git'
    const { stdout } = await helm(['template', 'nodewave', folder, '--namespace', 'kube-system', '--set', url, ...args])
    return objectsIn(stdout)
  }
  await helm(['lint', '--strict', folder, '--set', 'repository.url=https://git.example.com/fleet.git'])
  const kustomized = objectsIn(await output(cluster.binary('kubectl'), ['kustomize', join(checkout, 'deploy')]))
  checkEqual(await template(), kustomized)
  const all = await template('--set', switches.map((name) => `${name}.enabled=true`).join(','))
  checkEqual(
    without(all, 'Deployment nodewave-system/nodewave-controller'),
    without(await deployed(), 'Deployment nodewave-system/nodewave-controller'),
  )
}

/** All manifests but agent-rbac.yaml, which is for agents without a controller. */
async function deployed(): Promise<Objects> {
  const folder = join(checkout, 'deploy')
  const isManifest = (name: string) =>
    name.endsWith('.yaml') && !name.endsWith('kustomization.yaml') && !name.endsWith('agent-rbac.yaml')
  const names = (await readdir(folder, { recursive: true })).filter(isManifest)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return new Map(texts.flatMap((text) => [...objectsIn(text)]))
}

/** As the API server reads them: 0440 is octal. */
function objectsIn(text: string): Objects {
  const found = parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJSON())
  return new Map(found.filter((object) => object !== null).map((object) => [keyOf(object), withoutPolicy(object)]))
}

function keyOf({ kind, metadata }: { kind: string; metadata: { name: string; namespace?: string } }): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
}

/** What only Helm reads. */
function withoutPolicy(object: { metadata: { annotations?: Record<string, string> } }): Record<string, unknown> {
  const { 'helm.sh/resource-policy': _, ...annotations } = object.metadata.annotations ?? {}
  const { annotations: __, ...metadata } = object.metadata
  return { ...object, metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations } }
}

function without(objects: Objects, key: string): Objects {
  return new Map([...objects].filter(([each]) => each !== key))
}

function checkEqual(chart: Objects, manifests: Objects): void {
  const keys = [...new Set([...chart.keys(), ...manifests.keys()])]
  const different = keys.filter((key) => !isDeepStrictEqual(chart.get(key), manifests.get(key)))
  check('the chart gives the objects of deploy/', different.length === 0, different)
}
