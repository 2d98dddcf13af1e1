import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const pool = (flags: string) =>
  aDocument(
    'NodePool',
    'p',
    `spec:\n  nodeSelector: {matchLabels: {}}\n  kubelet: {flagSets: [s], config: [a, b], flags: {${flags}}}\n`,
  )
const set = (flags: string) => aDocument('FlagSet', 's', `spec: {flags: {${flags}}}\n`)
const config = (name: string, fields: string) => aDocument('KubeletConfig', name, `spec: {config: {${fields}}}\n`)

function warnings(given: { readonly own?: string; readonly set?: string; readonly a?: string; readonly b?: string }): string[] {
  const files = {
    'p.yaml': pool(given.own ?? ''),
    's.yaml': set(given.set ?? ''),
    'a.yaml': config('a', given.a ?? ''),
    'b.yaml': config('b', given.b ?? ''),
  }
  return problemsOf(files).map((text) => text.split('\n').slice(2).join('\n').trim())
}

test('a flag that wins over the field of the same meaning is told with both places', () => {
  expect(warnings({ own: 'max-pods: 200', a: 'maxPods: 110' })).toEqual([
    "warning: the kubelet uses --max-pods from here instead of the field maxPods at a.yaml:4:26\n  set only one of them; the kubelet's documentation recommends fields",
  ])
})

test('a flag of a set wins, too, also over a field with another name or further in', () => {
  expect(warnings({ set: 'client-ca-file: /ca.crt', a: 'authentication: {x509: {clientCAFile: /other.crt}}' })[0]).toContain(
    'instead of the field authentication.x509.clientCAFile at a.yaml:',
  )
  expect(warnings({ set: 'cluster-dns: "10.0.0.10"', a: 'clusterDNS: [10.0.0.11]' })[0]).toContain('the field clusterDNS')
})

test('the field that counts is the one of the last document', () => {
  expect(warnings({ own: 'max-pods: 200', a: 'maxPods: 110', b: 'maxPods: 120' })[0]).toContain('maxPods at b.yaml:')
  expect(warnings({ own: 'max-pods: 200', a: 'maxPods: 110', b: 'maxPods: null' })).toEqual([])
})

test('flags and fields of other meaning, and feature gates, which are put together, are no conflict', () => {
  expect(
    warnings({
      own: 'max-pods: 200, feature-gates: "ImageVolume=true"',
      a: 'podPidsLimit: 9, featureGates: {ImageVolume: true}',
    }),
  ).toEqual([])
})
