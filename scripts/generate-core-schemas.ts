/**
 * Writes src/sim/apiserver/generated/core-schemas.json: what the embedded API server knows of the built-in kinds, condensed
 * from the OpenAPI documents that Kubernetes publishes in its own module.
 *
 *   node scripts/generate-core-schemas.ts "$(go mod download -json k8s.io/kubernetes@v1.36.3 | jq -r .Dir)"
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const KINDS: Record<string, readonly string[]> = {
  api__v1: ['Node', 'Pod', 'ConfigMap', 'Secret', 'Namespace', 'Event', 'ServiceAccount', 'Service'],
  apis__apps__v1: ['Deployment', 'DaemonSet', 'ReplicaSet', 'StatefulSet'],
  apis__policy__v1: ['PodDisruptionBudget', 'Eviction'],
  'apis__coordination.k8s.io__v1': ['Lease'],
  'apis__events.k8s.io__v1': ['Event'],
  'apis__apiextensions.k8s.io__v1': ['CustomResourceDefinition'],
  'apis__rbac.authorization.k8s.io__v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'apis__admissionregistration.k8s.io__v1': ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  'apis__authorization.k8s.io__v1': ['SelfSubjectAccessReview', 'SelfSubjectRulesReview'],
  'apis__authentication.k8s.io__v1': ['SelfSubjectReview'],
}

/** Keywords the server acts on. `required` is left out: the Go decoder does not enforce it, hand-written validation does. */
const KEPT = [
  'type',
  'format',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-map-type',
]

/** Types that hold whatever JSON they are given, or that refer to themselves without end. */
const OPAQUE = /\.(FieldsV1|JSON|JSONSchemaPropsOr(?:Array|Bool|StringArray)|RawExtension)$/

type Node = Record<string, unknown>

const [source] = process.argv.slice(2)
if (!source)
  throw new Error('Name the directory of the k8s.io/kubernetes module, for example /root/go/pkg/mod/k8s.io/kubernetes@v1.36.3')

const definitions: Record<string, Node> = {}
const roots: Record<string, string> = {}

for (const [file, kinds] of Object.entries(KINDS)) {
  const document = JSON.parse(readFileSync(join(source, 'api/openapi-spec/v3', `${file}_openapi.json`), 'utf8'))
  const schemas = document.components.schemas as Record<string, Node>
  for (const [name, schema] of Object.entries(schemas)) {
    const gvk = (schema['x-kubernetes-group-version-kind'] as Node[] | undefined)?.[0]
    if (!gvk || !kinds.includes(String(gvk.kind)) || !name.endsWith(`.${gvk.kind}`)) continue
    roots[gvk.group ? `${gvk.group}/${gvk.version}/${gvk.kind}` : `${gvk.version}/${gvk.kind}`] = name
    keep(name, schemas)
  }
}

const target = join(import.meta.dirname, '../src/sim/apiserver/generated/core-schemas.json')
writeFileSync(target, `${JSON.stringify({ roots, definitions })}\n`)
console.log(`wrote ${target}: ${Object.keys(roots).length} kinds, ${Object.keys(definitions).length} definitions`)

function keep(name: string, schemas: Record<string, Node>): void {
  if (definitions[name]) return
  definitions[name] = {}
  definitions[name] = condense(schemas[name] ?? {}, schemas, name)
}

function condense(schema: Node, schemas: Record<string, Node>, name = ''): Node {
  const reference = (schema.$ref ?? (schema.allOf as Node[] | undefined)?.[0]?.$ref) as string | undefined
  const kept: Node = {}
  for (const key of KEPT) if (schema[key] !== undefined) kept[key] = schema[key]
  if (meansSomething(schema.default)) kept.default = schema.default
  if (reference) {
    const to = reference.slice('#/components/schemas/'.length)
    keep(to, schemas)
    return { ...kept, $ref: to }
  }
  if (OPAQUE.test(name)) return { 'x-kubernetes-preserve-unknown-fields': true }
  if (schema.oneOf) return { 'x-kubernetes-int-or-string': true }
  if (schema.properties)
    kept.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([key, value]) => [key, condense(value as Node, schemas)]),
    )
  if (schema.items) kept.items = condense(schema.items as Node, schemas)
  if (typeof schema.additionalProperties === 'object')
    kept.additionalProperties = condense(schema.additionalProperties as Node, schemas)
  return kept
}

/** `{}` and `""` are what Go's zero values look like in OpenAPI, not something the server writes. */
function meansSomething(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return false
  return !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}
