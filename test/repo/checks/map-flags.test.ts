import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const POOL = aDocument('NodePool', 'p', 'spec:\n  nodeSelector: {matchLabels: {}}\n  kubelet: {flagSets: [a, b]}\n')
const set = (name: string, flags: string) => aDocument('FlagSet', name, `spec: {flags: {${flags}}}\n`)
const fleet = (spec: string) => aDocument('Fleet', 'fleet', `spec: {${spec}}\n`)

function told(spec: string, a: string, b: string, more: Readonly<Record<string, string>> = {}): string[] {
  const files = { 'fleet.yaml': fleet(spec), 'p.yaml': POOL, 'a.yaml': set('a', a), 'b.yaml': set('b', b), ...more }
  return problemsOf(files).map((text) => text.split('\n').slice(2).join('\n').trim())
}

const REPLACED =
  'warning: --node-labels at b.yaml:4:16 replaces all keys of --node-labels at a.yaml:4:16\n  state mapFlags: Merge in the Fleet to merge maps by key, or mapFlags: Replace if this is meant'

test('a map that replaces another is told once for each flag until the Fleet says what is meant', () => {
  const [a, b] = ['node-labels: {x: "1"}', 'node-labels: {y: "2"}']
  const override = { 'o.yaml': aDocument('NodeOverride', 'o', 'spec: {node: n, flags: {node-labels: {z: "3"}}}\n') }
  expect(told('', a, b, override)).toEqual([REPLACED])
  expect(told('mapFlags: Merge', a, b, override)).toEqual([])
  expect(told('mapFlags: Replace', a, b, override)).toEqual([])
})

test('a map of an override that replaces one of a pool is told, and a flag that is no map is not', () => {
  const override = (flags: string) => ({ 'o.yaml': aDocument('NodeOverride', 'o', `spec: {node: n, flags: {${flags}}}\n`) })
  expect(told('', 'feature-gates: {NodeSwap: true}', 'v: 2', override('feature-gates: {MemoryQoS: true}'))[0]).toContain(
    '--feature-gates at o.yaml:4:25 replaces all keys of --feature-gates at a.yaml:4:16',
  )
  expect(told('', 'v: 2', 'v: 3', override('v: 4'))).toEqual([])
})

test('null in a map is refused where maps are not merged', () => {
  const message = 'null removes key "x" of an earlier layer, and --node-labels replaces earlier layers as a whole'
  expect(told('mapFlags: Replace', 'v: 2', 'node-labels: {x: null}')[0]).toContain(message)
  expect(told('', 'v: 2', 'node-labels: {x: null}')[0]).toContain(message)
  expect(told('mapFlags: Merge', 'v: 2', 'node-labels: {x: null}')).toEqual([])
})

test('what is only removed is not checked against the kubelet, what is set is', () => {
  expect(told('mapFlags: Merge', 'v: 2', 'feature-gates: {Gone: null}')).toEqual([])
  expect(told('mapFlags: Merge', 'v: 2', 'feature-gates: {Gone: true}')[0]).toContain('feature gate "Gone" is not known')
})

test('overrides of one node may set different keys of a map where maps are merged', () => {
  const override = (name: string, labels: string) =>
    aDocument('NodeOverride', name, `spec: {node: n, flags: {node-labels: {${labels}}}}\n`)
  const overrides = { 'o.yaml': override('o', 'x: "1"'), 'q.yaml': override('q', 'y: "2"') }
  expect(told('mapFlags: Merge', 'v: 2', 'v: 2', overrides)).toEqual([])
  expect(told('mapFlags: Replace', 'v: 2', 'v: 2', overrides)).toHaveLength(1)
  expect(told('mapFlags: Merge', 'v: 2', 'v: 2', { ...overrides, 'q.yaml': override('q', 'x: "2"') })).toHaveLength(1)
})
