import type { KubeApi } from '../../src/kube/kube-api.ts'
import type { Replicas } from './replicas.ts'
import { NODES } from './stage.ts'

/** A client of a server that has a webhook, which takes these labels and annotations off what is written to nodes. */
export function dropping({ kube }: Replicas, dropped: readonly string[]) {
  const found = { asked: 0 }
  const without = (texts: object = {}) => Object.fromEntries(Object.entries(texts).filter(([key]) => !dropped.includes(key)))
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { labels, annotations, ...metadata } = Object(Object(body).metadata)
    const keys = Object.keys({ ...labels, ...annotations })
    if (!path.startsWith(NODES) || !dropped.some((key) => keys.includes(key))) return kube.patch(path, body, options)
    found.asked += 1
    const kept = { ...metadata, labels: without(labels), annotations: without(annotations) }
    return kube.patch(path, { ...Object(body), metadata: kept }, options)
  }
  return { found, kube: { ...kube, patch } }
}
