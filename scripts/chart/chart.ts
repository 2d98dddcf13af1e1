/** The files of the chart, from the manifests of deploy/: pure but for reading those. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Document, isMap, isScalar, type Pair, parseAllDocuments, stringify, visit } from 'yaml'
import { z } from 'zod'
import { manifestFiles } from './places.ts'
import { templateOf } from './template.ts'
import { type ChartSchema, chartValues } from './values.ts'

export type ChartFiles = ReadonlyMap<string, string>

/** By their path in the chart's folder. */
export function chartFiles(root: string): ChartFiles {
  const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const read = (file: string) => readFileSync(join(root, 'deploy', file), 'utf8')
  const schema = chartValues({ version, ...defaultsOf(read) })
  return new Map([
    ['Chart.yaml', chartYaml({ version, description })],
    ['values.yaml', valuesYaml(schema)],
    ['values.schema.json', `${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n`],
    ['templates/NOTES.txt', NOTES],
    ...manifestFiles.map((file) => [`templates/${file.file.replace('/', '-')}`, templateOf(read(file.file), file)] as const),
  ])
}

function chartYaml({ version, description }: { readonly version: string; readonly description: string }): string {
  return stringify({
    apiVersion: 'v2',
    name: 'nodewave',
    description,
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>= 1.30.0-0',
  })
}

const NOTES = `The controllers follow {{ .Values.repository.url }}{{ with .Values.repository.branch }}, branch {{ . }}{{ end }}.

  kubectl -n nodewave-system get pods
  kubectl get nodepools
{{- if eq .Release.Namespace "nodewave-system" }}

Helm made the namespace without the labels that the manifests have. Once:

  kubectl label namespace nodewave-system app.kubernetes.io/part-of=nodewave pod-security.kubernetes.io/enforce=restricted
{{- end }}
{{- if .Values.webhook.enabled }}

Pods start when there is the Secret {{ .Values.webhook.secretName }} with the key "secret":

  kubectl -n nodewave-system create secret generic {{ .Values.webhook.secretName }} --from-file=secret
{{- end }}
{{- if not .Values.agents.enabled }}

No agents were installed: set agents.enabled, or install them with packages.
{{- end }}

What is not in order, and what helps: nodewave check
`

/** What the Deployment and the DaemonSet say, so that no value is written down twice. */
function defaultsOf(read: (file: string) => string) {
  const controller = objectIn(read('controller.yaml'), 'Deployment')
  const agents = objectIn(read('agents.yaml'), 'DaemonSet')
  const at = <T>(document: Document, ...path: (string | number)[]) => {
    const found: unknown = document.getIn(path)
    return (found instanceof Object && 'toJSON' in found ? (found.toJSON as () => T)() : found) as T
  }
  const pod = ['spec', 'template', 'spec'] as const
  return {
    replicas: at<number>(controller, 'spec', 'replicas'),
    resources: at<Record<string, unknown>>(controller, ...pod, 'containers', 0, 'resources'),
    priorityClassName: at<string>(controller, ...pod, 'priorityClassName'),
    agentTolerations: at<unknown[]>(agents, ...pod, 'tolerations'),
  }
}

function objectIn(text: string, kind: string): Document {
  const found = parseAllDocuments(text).find((document) => document.get('kind') === kind)
  if (found === undefined) throw new Error(`chart: deploy/ has no ${kind}`)
  return found as Document
}

/** The defaults, each with what the schema says of it. */
function valuesYaml(schema: ChartSchema): string {
  const document = new Document(defaultsIn(schema))
  visit(document, {
    Pair(_, pair, path) {
      const keys = [...path.filter((node): node is Pair => !isMap(node) && 'key' in node), pair].map(({ key }) => keyOf(key))
      const description = descriptionAt(schema, keys)
      if (description !== undefined && isScalar(pair.key)) pair.key.commentBefore = ` ${description}`
      if (keys.length === 1 && isScalar(pair.key)) pair.key.spaceBefore = true
    },
  })
  return `# Values of the chart. What is not here is set in the cluster by the manifests' own defaults.\n${document.toString({ lineWidth: 0 })}`
}

const keyOf = (key: unknown) => String(isScalar(key) ? key.value : key)

/** Objects have no default of their own: what they hold has. */
function defaultsIn(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodObject) {
    return Object.fromEntries(Object.entries(schema.shape).map(([key, field]) => [key, defaultsIn(field as z.ZodType)]))
  }
  return schema.parse(undefined)
}

function descriptionAt(schema: z.ZodType, keys: readonly string[]): string | undefined {
  const [key, ...rest] = keys
  if (key === undefined) return schema.description
  const field = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>)[key] : undefined
  return field === undefined ? undefined : descriptionAt(field, rest)
}
