import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const pool = aDocument(
  'NodePool',
  'p',
  'spec:\n  nodeSelector: {matchLabels: {}}\n  kubelet: {configMode: full, config: [a, b]}\n',
)
const config = (name: string, fields: string) => aDocument('KubeletConfig', name, `spec: {config: {${fields}}}\n`)
const all = 'authentication: {anonymous: {enabled: false}}, authorization: {mode: Webhook}, clusterDNS: [10.96.0.10]'

test('full mode is fine when the documents together set what a node cannot do without', () => {
  const [authentication = '', rest = ''] = all.split(/, (?=authorization)/)
  expect(problemsOf({ 'p.yaml': pool, 'a.yaml': config('a', authentication), 'b.yaml': config('b', rest) })).toEqual([])
})

test('full mode says what is missing', () => {
  expect(
    problemsOf({ 'p.yaml': pool, 'a.yaml': config('a', 'authorization: {mode: Webhook}'), 'b.yaml': config('b', '') }),
  ).toEqual([
    `p.yaml:6:25  kubelet: {configMode: full, config: [a, b]}
                                   ^^^^
  configMode "full" needs authentication, authorization, clusterDNS; missing: authentication, clusterDNS
  set them in a KubeletConfig of this pool, or use configMode: overlay`,
  ])
})

test('full mode misses what a later document takes out', () => {
  expect(problemsOf({ 'p.yaml': pool, 'a.yaml': config('a', all), 'b.yaml': config('b', 'clusterDNS: null') })[0]).toContain(
    'missing: clusterDNS',
  )
})
