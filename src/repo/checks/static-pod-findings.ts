import { isMap, parseDocument, type YAMLMap } from 'yaml'
import { repeatedKey } from '../../protocol/repeated-key.ts'
import { isNamespace, isPodName, STATIC_POD_KEY } from '../../protocol/static-pods.ts'
import { plainValue, yamlIssues } from '../parse-yaml.ts'
import type { Place } from '../problem.ts'
import { type Path, sourceOf, type YamlText } from '../source.ts'
import { mapIn, readStaticPod } from '../static-pod-manifest.ts'
import { apiReferences } from './api-references.ts'

/** What is wrong, and where in the manifest. */
export interface Finding {
  readonly at: Place
  readonly message: string
}

/** Why the kubelet would not run it, or could not prove it. */
export function findingsInManifest(yaml: YamlText): Finding[] {
  const [document, second] = yaml.parsed.documents
  if (document === undefined) return [{ at: yaml.place([0, 0]), message: 'expected a Pod; there is nothing' }]
  const malformed = yamlIssues(document, yaml.text)
  if (malformed.length > 0) return malformed.map(({ range, message }) => ({ at: yaml.place(range), message }))
  const source = sourceOf(yaml, 0, (path) => path)
  if (second)
    return [{ at: sourceOf(yaml, 1, (path) => path).where([]), message: 'expected one Pod; write each into a file of its own' }]
  const { contents } = document
  if (!isMap(contents)) return [{ at: source.where([]), message: 'expected a Pod' }]
  const value = plainValue(document) as Manifest
  const found = [...headProblems(value, contents as YAMLMap), ...specProblems(value), ...apiReferences(value.spec)]
  const all = found.length === 0 ? unless(takesAnnotation(yaml.text), ['metadata'], UNUSUAL) : found
  return all.map(({ path, message }) => ({ at: source.where(path), message }))
}

const UNUSUAL = 'nodewave cannot add its annotation; write the first field without an anchor or a tag'

function takesAnnotation(source: string): boolean {
  const { text, digest } = readStaticPod(source, '')
  const document = parseDocument(text, { uniqueKeys: false })
  return (
    document.errors.length === 0 &&
    !repeatedKey(document) &&
    document.getIn(['metadata', 'annotations', STATIC_POD_KEY]) === digest
  )
}

interface Manifest {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly spec?: Readonly<Record<string, unknown>> | null
}

/** A path within the manifest. */
interface Complaint {
  readonly path: Path
  readonly message: string
}

function headProblems({ apiVersion, kind, metadata }: Manifest, map: YAMLMap): Complaint[] {
  const { name, namespace = 'default', annotations } = metadata ?? {}
  const isPlain = annotations === undefined || mapIn(mapIn(map, 'metadata') ?? map, 'annotations') !== undefined
  return [
    ...unless(apiVersion === 'v1', ['apiVersion'], 'expected apiVersion: v1'),
    ...unless(kind === 'Pod', ['kind'], 'expected kind: Pod'),
    ...unless(
      mapIn(map, 'metadata') !== undefined && isPodName(name),
      ['metadata', 'name'],
      'expected metadata.name, such as "node-dns"',
    ),
    ...unless(isNamespace(namespace), ['metadata', 'namespace'], 'expected the name of a namespace'),
    ...unless(isPlain, ['metadata', 'annotations'], 'expected a map of annotations, and no alias'),
    ...unless(
      metadata?.uid === undefined,
      ['metadata', 'uid'],
      'expected no uid: with a fixed one the kubelet does not see that the manifest changes',
    ),
    // What `yaml` reads as a key is a merge for the kubelet.
    ...unless(metadata?.['<<'] === undefined, ['metadata', '<<'], 'expected the fields themselves, and no merge'),
    ...Object.keys(annotations ?? {}).flatMap((key) => {
      const why = reservedFor(key)
      return why === undefined ? [] : [{ path: ['metadata', 'annotations', key], message: why }]
    }),
  ]
}

function reservedFor(annotation: string): string | undefined {
  if (annotation === STATIC_POD_KEY) return 'nodewave writes this annotation itself'
  if (annotation.startsWith('kubernetes.io/config.'))
    return 'the kubelet writes this annotation itself, and runs no manifest that has it; a pod read from the API is no manifest'
  return undefined
}

function specProblems({ spec }: Manifest): Complaint[] {
  const { containers, restartPolicy = 'Always' } = spec ?? {}
  const list = Array.isArray(containers) ? (containers as readonly unknown[]) : []
  return [
    ...unless(list.length > 0, ['spec', 'containers'], 'expected spec.containers with at least one container'),
    ...unless(
      restartPolicy === 'Always',
      ['spec', 'restartPolicy'],
      'expected restartPolicy: Always; a pod that ends is never Ready',
    ),
    ...list.flatMap((container, index) =>
      ['name', 'image'].flatMap((key) =>
        unless(
          isText((container as Record<string, unknown> | null)?.[key]),
          ['spec', 'containers', index, key],
          `expected the ${key} of the container`,
        ),
      ),
    ),
  ]
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function unless(isRight: boolean, path: Path, message: string): Complaint[] {
  return isRight ? [] : [{ path, message }]
}
