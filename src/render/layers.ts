import { fieldsByCapacity } from '../repo/expressions/by-capacity.ts'
import type { Doc, FleetModel } from '../repo/model.ts'
import type { Flags, KubeletFields } from '../repo/schema/common.ts'
import type { NodeOverrideSpec } from '../repo/schema/node-override.ts'
import type { NodePoolSpec } from '../repo/schema/node-pool.ts'
import type { NodeFacts } from './node-facts.ts'
import type { Origin } from './render-problem.ts'
import { selects } from './select-pool.ts'

/** One place of the repository that has a say. Layers come in the order of precedence: a later one wins. */
export interface Layer<Value> extends Origin {
  readonly value: Value
}

/** What a node is rendered from: a pool, and the overrides that are for the node. */
export interface LayerSubject {
  readonly pool: Doc<NodePoolSpec>
  readonly overrides: readonly Doc<NodeOverrideSpec>[]
}

/** FlagSets in the order the pool names them, the pool's own flags, overrides. */
export function flagLayers(model: FleetModel, { pool, overrides }: LayerSubject): Layer<Flags>[] {
  return [
    ...named(model.flagSets, pool.spec.kubelet?.flagSets).map((doc) => layer(doc, ['flags'], doc.spec.flags)),
    layer(pool, ['kubelet', 'flags'], pool.spec.kubelet?.flags),
    ...overrides.map((doc) => layer(doc, ['flags'], doc.spec.flags)),
  ].filter(isStated)
}

/** KubeletConfigs in the order the pool names them, overrides. */
export function configLayers(model: FleetModel, { pool, overrides }: LayerSubject): Layer<KubeletFields>[] {
  return [
    ...named(model.kubeletConfigs, pool.spec.kubelet?.config).flatMap((doc) => [
      layer(doc, ['config'], doc.spec.config),
      layer(doc, ['byCapacity'], doc.spec.byCapacity && fieldsByCapacity(doc.spec.byCapacity)),
    ]),
    ...overrides.map((doc) => layer(doc, ['config'], doc.spec.config)),
  ].filter(isStated)
}

/** Every document of the subject, those whose word counts more coming later. */
export function documentsOf(model: FleetModel, { pool, overrides }: LayerSubject): Doc<unknown>[] {
  return [
    ...named(model.kubeletConfigs, pool.spec.kubelet?.config),
    ...named(model.flagSets, pool.spec.kubelet?.flagSets),
    ...named(model.hostProfiles, pool.spec.hostProfiles),
    pool,
    ...overrides,
  ]
}

export function appliesTo({ spec }: Doc<NodeOverrideSpec>, node: Pick<NodeFacts, 'name' | 'labels'>): boolean {
  return spec.node === undefined
    ? spec.nodeSelector !== undefined && selects(spec.nodeSelector, node.labels)
    : spec.node === node.name
}

/** Equal for overrides that say the same of different nodes. */
export function contentOfOverride({ spec: { node, nodeSelector, ...content } }: Doc<NodeOverrideSpec>): string {
  return JSON.stringify(content)
}

export function isOverride({ doc }: Origin): boolean {
  return doc.kind === 'NodeOverride'
}

/** Documents by name; in a valid model every name leads to one. */
export function named<Spec>(docs: ReadonlyMap<string, Doc<Spec>>, names: readonly string[] = []): Doc<Spec>[] {
  return names.flatMap((name) => docs.get(name) ?? [])
}

function layer<Value>(doc: Doc<unknown>, path: Origin['path'], value: Value): Layer<Value> {
  return { doc, path, value }
}

function isStated<Value>(candidate: Layer<Value | undefined>): candidate is Layer<Value> {
  return candidate.value !== undefined
}
