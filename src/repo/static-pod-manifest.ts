import { createHash } from 'node:crypto'
import { type Document, isMap, isPair, isScalar, parseDocument, Scalar, visit, type YAMLMap } from 'yaml'
import { canonicalJson, type Json } from '../protocol/digest.ts'
import { STATIC_POD_KEY } from '../protocol/static-pods.ts'

export interface StaticPodManifest {
  readonly namespace: string
  readonly name: string
  /** Of its path and of what it says, whatever its layout and comments. */
  readonly digest: string
  /** The text with the digest as an annotation, and otherwise as it is: YAML of another version reads some numbers otherwise. */
  readonly text: string
}

/** Pure. @param source that a check has found to be one Pod @param path on the host: the kubelet starts another pod when it moves */
export function readStaticPod(source: string, path: string): StaticPodManifest {
  // Every scalar as it is written: 0644 is not 644.
  const document = parseDocument(source, { schema: 'failsafe', uniqueKeys: false })
  const { metadata } = document.toJS() as { readonly metadata: { readonly name: string; readonly namespace?: string } }
  const digest = createHash('sha256')
    .update(canonicalJson({ path, manifest: withKinds(document) }))
    .digest('hex')
    .slice(0, 20)
  return { namespace: metadata.namespace ?? 'default', name: metadata.name, digest, text: annotated(source, document, digest) }
}

/** A kubelet refuses "80" where it expects 80, and 80 where it expects "80": quotes and tags count. */
function withKinds(document: Document): Json {
  const marked = document.clone()
  visit(marked, {
    Scalar: (_, scalar) => {
      scalar.value = `${scalar.tag ?? ''}${scalar.type === Scalar.PLAIN ? ':' : '='}${String(scalar.value)}`
    },
  })
  return marked.toJS() as Json
}

function annotated(source: string, document: Document, digest: string): string {
  const metadata = document.get('metadata', true) as YAMLMap
  const annotations = mapIn(metadata, 'annotations')
  const [entry, flow] = [`${STATIC_POD_KEY}: "${digest}"`, `"${STATIC_POD_KEY}": "${digest}"`]
  if (annotations !== undefined) return withEntry(source, annotations, { block: entry, flow })
  return withEntry(source, metadata, { block: `annotations: {${flow}}`, flow: `"annotations": {${flow}}` })
}

export function mapIn(map: YAMLMap, key: string): YAMLMap | undefined {
  const pair = map.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === key)
  return isMap(pair?.value) ? pair.value : undefined
}

/** Before the first of its entries. */
function withEntry(source: string, map: YAMLMap, { block, flow }: { readonly block: string; readonly flow: string }): string {
  const [start = 0] = map.range ?? []
  if (map.flow) return `${source.slice(0, start + 1)}${flow}${map.items.length === 0 ? '' : ', '}${source.slice(start + 1)}`
  const indent = ' '.repeat(start - (source.lastIndexOf('\n', start - 1) + 1))
  return `${source.slice(0, start)}${block}\n${indent}${source.slice(start)}`
}
