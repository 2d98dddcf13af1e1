/** The schemas of editors take what the product takes. Each test reads files as they are; `fromJSONSchema` of zod judges them. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const names = readdirSync(join(root, 'schemas')).filter((name) => name !== 'catalog.json')
const bundles = names.filter((name) => name.startsWith('nodewave'))
const schemaOf = (name: string) => z.fromJSONSchema(JSON.parse(read(`schemas/${name}`)))

const paths = execFileSync('git', ['ls-files', 'examples/repo', 'examples/clusters'], { cwd: root, encoding: 'utf8' }).split('\n')
const documents = paths
  .filter((path) => path.endsWith('.yaml'))
  .flatMap((path) => parseAllDocuments(read(path)).map((document): [string, unknown] => [path, document.toJSON()]))

test('every schema has an $id of its own, and needs no other file', () => {
  const ids = names.map((name) => JSON.parse(read(`schemas/${name}`)).$id)

  expect(ids).toEqual(names.map((name) => `https://nodewave.io/schemas/v1alpha1/${name}`))
  const references = names.flatMap((name) => [...read(`schemas/${name}`).matchAll(/"\$ref": ?"([^"]*)"/g)].map(([, to]) => to))
  expect(references.filter((to) => !to?.startsWith('#/definitions/'))).toEqual([])
})

test.each(bundles)('%s takes every document of the examples', (name) => {
  const schema = schemaOf(name)

  expect(documents.length).toBeGreaterThan(20)
  expect(documents.filter(([, document]) => !schema.safeParse(document).success).map(([path]) => path)).toEqual([])
})

const any = schemaOf('nodewave.json')
const language = { apiVersion: 'nodewave.io/v1alpha1', metadata: { name: 'x' } }
const configuration = (fields: object) => ({
  ...{ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', metadata: { name: 'x' } },
  ...fields,
})
const flagSet = (flags: object) => ({ ...language, kind: 'FlagSet', spec: { flags } })
const config = (fields: object) => ({ ...language, kind: 'KubeletConfig', spec: { config: fields } })

test.each([
  ['a field', configuration({ maxPods: 110 })],
  ['a template', configuration({ maxPods: '{{ min(110, node.cpu * 15) }}' })],
  ['null, which removes', configuration({ evictionHard: null })],
  ['a field of a field', config({ authentication: { anonymous: { enabled: false } } })],
  ['a map', config({ evictionHard: { 'memory.available': '200Mi' } })],
  ['a list', config({ clusterDNS: ['10.0.0.10'] })],
  ['a flag', flagSet({ v: 2, 'max-pods': '110', 'node-labels': { a: 'b' } })],
])('the schema takes %s', (_, document) => {
  expect(any.safeParse(document).success).toBe(true)
})

test.each([
  ['an unknown field', configuration({ maxPod: 110 })],
  ['a number for a truth value', configuration({ failSwapOn: 1 })],
  ['a word that the kubelet does not take', configuration({ hairpinMode: 'hairpin' })],
  ['an unknown field of a field', config({ authentication: { anonymous: { enable: false } } })],
  ['a text in place of a list', config({ clusterDNS: '10.0.0.10' })],
  ['an unknown flag', flagSet({ maxPods: 110 })],
  ['the flag that nodewave sets itself', flagSet({ config: '/etc/kubelet.yaml' })],
  ['an unknown kind', { ...language, kind: 'Pool', spec: {} }],
  ['a document without a name', { ...flagSet({}), metadata: {} }],
])('the schema refuses %s', (_, document) => {
  expect(any.safeParse(document).success).toBe(false)
})

test('the schema of a version has the fields and flags of that version alone', () => {
  const [older, newer] = [schemaOf('nodewave-1.31.json'), schemaOf('nodewave-1.36.json')]
  const since = configuration({ crashLoopBackOff: { maxContainerRestartPeriod: '2m' } })
  const until = flagSet({ 'pod-infra-container-image': 'x' })

  expect([older, newer].map((schema) => schema.safeParse(since).success)).toEqual([false, true])
  expect([older, newer].map((schema) => schema.safeParse(until).success)).toEqual([true, false])
})
