import type { KubeObject } from '../../kube/kube-api.ts'

/** As the API server names this controller, by its user agent. */
const OURS = 'nodewave'

/** By subject (`label tier`), who wrote it last, as the API server noted. Taints are one list: `taints`. What is gone has nobody. */
export function fieldManagers({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const entries = Array.isArray(metadata.managedFields) ? metadata.managedFields : []
  const others = entries.map(fieldsOf).filter(({ manager }) => manager !== '' && manager !== OURS)
  return Object.fromEntries(
    others.flatMap(({ manager, labels, annotations, spec }) => [
      ...namesIn(labels).map((name) => [`label ${name}`, manager]),
      ...namesIn(annotations).map((name) => [`annotation ${name}`, manager]),
      ...(Object.hasOwn(spec, 'f:taints') ? [['taints', manager]] : []),
    ]),
  )
}

/** `{"f:metadata":{"f:labels":{"f:tier":{}}}}` */
function fieldsOf(entry: unknown) {
  const { manager, fieldsV1 } = Object(entry)
  const { 'f:metadata': metadata, 'f:spec': spec } = Object(fieldsV1)
  const { 'f:labels': labels, 'f:annotations': annotations } = Object(metadata)
  return {
    manager: typeof manager === 'string' ? manager : '',
    labels: Object(labels) as object,
    annotations: Object(annotations) as object,
    spec: Object(spec) as object,
  }
}

function namesIn(fields: object): string[] {
  return Object.keys(fields).flatMap((key) => (key.startsWith('f:') ? [key.slice(2)] : []))
}
