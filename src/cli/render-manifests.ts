import { formatDesiredConfig } from '../protocol/desired-config.ts'
import { namesFor, OBJECT_KEYS } from '../protocol/names.ts'
import type { RenderedNode, RenderResult } from '../render/instantiate.ts'

/** ConfigMaps, each once (no Secrets: only the controller can decrypt what is in them), then the annotation of every node: what `kubectl apply --server-side` would make the agents act on. */
export function manifests(results: readonly NodeResult[]): object[] {
  const rendered = results.flatMap(({ node, result }) => (result?.ok ? [{ node, result }] : []))
  const configMaps = new Map(rendered.flatMap(({ result }) => configMapsOf(result)))
  return [...configMaps.values(), ...rendered.map(({ node, result }) => annotatedNode(node, result))]
}

function configMapsOf({ payloads, desired }: RenderedNode): [string, object][] {
  const shown = payloads.filter(({ kind }) => kind !== 'secret')
  return shown.map(({ name, pool, kind, data }) => [
    name,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace: desired.NAMESPACE,
        labels: { [OBJECT_KEYS.managedBy]: 'nodewave', [OBJECT_KEYS.pool]: pool, [OBJECT_KEYS.kind]: kind },
      },
      immutable: true,
      data,
    },
  ])
}

function annotatedNode(name: string, { desired }: RenderedNode): object {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, annotations: { [namesFor().desiredConfig]: formatDesiredConfig(desired) } },
  }
}

/** A node and what it is to become; without a result no pool has it. */
export interface NodeResult {
  readonly node: string
  readonly result?: RenderResult
}
