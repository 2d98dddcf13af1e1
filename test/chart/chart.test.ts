/** What can be said of the chart without helm; with it: the end-to-end scenario `image`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { chartFiles } from '../../scripts/chart/chart.ts'
import { manifestFiles } from '../../scripts/chart/places.ts'
import { templateOf } from '../../scripts/chart/template.ts'

const root = join(import.meta.dirname, '../..')
const files = chartFiles(root)
const fileOf = (path: string) => files.get(path) ?? ''

test('the chart has every manifest of deploy/ but the one for agents without a controller', () => {
  const all = readdirSync(join(root, 'deploy'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
  const left = all.filter((name) => !manifestFiles.some(({ file }) => file === name))

  expect(left.sort()).toEqual(['agent-rbac.yaml', 'kustomization.yaml'])
})

test('what kustomization.yaml applies is in the chart by default', () => {
  const { resources } = parse(readFileSync(join(root, 'deploy/kustomization.yaml'), 'utf8')) as { resources: string[] }
  const byDefault = manifestFiles
    .filter(({ when }) => when === undefined || when.includes('crds.install'))
    .map(({ file }) => file)

  expect(byDefault.sort()).toEqual(resources.sort())
})

test('defaults of the values are those of the manifests', () => {
  const values = parse(fileOf('values.yaml'))

  expect(values.controller.replicas).toBe(2)
  expect(values.controller.resources.limits.memory).toBe('1Gi')
  expect(values.agents.tolerations).toEqual([{ operator: 'Exists' }])
  expect(values.repository).toEqual({ url: '', branch: 'main' })
})

test('a value that the chart does not have is refused by its schema', () => {
  const schema = JSON.parse(fileOf('values.schema.json'))

  expect(schema.additionalProperties).toBe(false)
  expect(schema.properties.webhook.additionalProperties).toBe(false)
})

test.each([
  ['image', 'repository', 'registry.example.com:5000/nodewave', 'registry.example.com/nodewave:0.1.0'],
  ['repository', 'url', 'ssh://git@git.example.com/fleet.git', ' https://git.example.com/fleet.git'],
  ['controller', 'options', ['--token-file=/etc/nodewave/git/token'], ['--token-file /etc/nodewave/git/token']],
  ['controller', 'nodeSelector', { rack: '4' }, { rack: 4 }],
  ['controller', 'env', [{ name: 'A', value: '1' }], [{ name: 'A', value: 1 }]],
  ['webhook', 'secretName', 'nodewave-webhook', 'a, optional: true'],
  ['agents', 'maxUnavailable', '100%', '0%'],
])('%s.%s takes %j, and refuses %j', (section, key, good, bad) => {
  const schema = z.fromJSONSchema(JSON.parse(fileOf('values.schema.json')))
  const values = parse(fileOf('values.yaml'))
  const isTaken = (value: unknown) => schema.safeParse({ ...values, [section]: { ...values[section], [key]: value } }).success

  expect([isTaken(good), isTaken(bad)]).toEqual([true, false])
})

test('names are texts, also those that look like a number or a switch', () => {
  expect(fileOf('templates/controller.yaml')).toContain('priorityClassName: {{ .Values.controller.priorityClassName | quote }}')
  expect(fileOf('templates/controller.yaml')).toContain('secretName: {{ .Values.webhook.secretName | quote }}')
  expect(fileOf('templates/metrics.yaml')).toContain('kubernetes.io/metadata.name: {{ .Values.metrics.namespace | quote }}')
})

test('a tag can be followed: without a branch there is no option for one', () => {
  expect(fileOf('templates/controller.yaml')).toContain(`
            {{- with .Values.repository.branch }}
            - {{ printf "--branch=%s" . | quote }}
            {{- end }}
`)
})

test('alerts come with what they ask, and Secrets of people with the right to hand them on', () => {
  expect(fileOf('templates/metrics.yaml')).toMatch(/^\{\{- if or \.Values\.metrics\.enabled \.Values\.prometheus\.enabled \}\}\n/)
  expect(fileOf('templates/secrets-rbac.yaml')).toMatch(
    /^\{\{- if or \.Values\.secrets\.enabled \.Values\.secretRefs\.enabled \}\}\n/,
  )
})

test('kinds, namespaces, the pause of the fleet and the admission policies stay when the release goes', () => {
  const kept = [...files].flatMap(([path, text]) =>
    path.startsWith('templates/')
      ? text.split('\n---\n').filter((object) => object.includes('    helm.sh/resource-policy: keep\n'))
      : [],
  )
  const named = kept.map((object) => `${/^kind: (.*)$/m.exec(object)?.[1]} ${/^ {2}name: (.*)$/m.exec(object)?.[1]}`)

  expect(named).toEqual([
    'Namespace nodewave-system',
    'Namespace nodewave-proof',
    'Namespace nodewave-revisions',
    'Namespace nodewave-gates',
    'CustomResourceDefinition nodepools.nodewave.io',
    'CustomResourceDefinition ceilings.nodewave.io',
    'ValidatingAdmissionPolicy nodewave-keys',
    'ValidatingAdmissionPolicyBinding nodewave-keys',
    'ValidatingAdmissionPolicy nodewave-payload-access',
    'ValidatingAdmissionPolicyBinding nodewave-payload-access',
    'ClusterRole nodewave-break-glass',
    'ClusterRoleBinding nodewave-break-glass',
    'ConfigMap nodewave-fleet',
    'Namespace nodewave-agents',
    'Namespace nodewave-secrets',
  ])
})

test('modes of files stay octal', () => {
  expect(fileOf('templates/controller.yaml')).toMatch(/^ {12}defaultMode: 0440$/m)
})

test("expressions of alert rules are not the chart's", () => {
  expect(fileOf('templates/prometheus.yaml')).toContain('Pool {{ "{{" }} $labels.pool {{ "}}" }} cannot go on')
})

test('a list takes items of a value, and a map that is empty is left out', () => {
  const text = 'kind: Pod\nmetadata:\n  name: one\nspec:\n  list:\n    - a\n'
  const places = [
    { kind: 'Pod', name: 'one', path: ['spec', 'list', Number.POSITIVE_INFINITY], form: { write: 'items', value: 'more' } },
    { kind: 'Pod', name: 'one', path: ['spec', 'map'], form: { write: 'block', value: 'map' } },
  ] as const

  expect(templateOf(text, { file: 'pod.yaml', when: ['on'], places })).toBe(`{{- if .Values.on }}
kind: Pod
metadata:
  name: one
spec:
  list:
    - a
    {{- with .Values.more }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.map }}
  map: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
`)
})

test('a place that no manifest has is an error', () => {
  const places = [{ kind: 'Pod', name: 'two', path: ['spec', 'a'], form: { write: 'scalar', expression: '.Values.a' } }] as const

  expect(() => templateOf('kind: Pod\nmetadata:\n  name: one\n', { file: 'pod.yaml', places })).toThrow('no object has spec.a')
})
