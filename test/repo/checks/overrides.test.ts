import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

function overrides(...specs: readonly string[]): string[] {
  const documents = specs.map((spec, index) => aDocument('NodeOverride', `o${index}`, `spec: {${spec}}\n`))
  return problemsOf({ 'o.yaml': documents.join('---\n') })
}

test('overrides for one node that disagree about a flag are refused', () => {
  expect(overrides('node: n, flags: {v: 2}', 'node: n, flags: {v: 3}')).toEqual([
    `o.yaml:9:28  spec: {node: n, flags: {v: 3}}
                                        ^
  override "o0" sets another value for the same node (o.yaml:4:28)`,
  ])
})

test('overrides for one node that disagree about a field deep in the configuration are refused', () => {
  expect(
    overrides(
      'node: n, config: {evictionHard: {nodefs.available: 5%}}',
      'node: n, config: {evictionHard: {nodefs.available: 6%}}',
    )[0],
  ).toContain('override "o0" sets another value for the same node')
})

test('overrides for one node that disagree about a sysctl are refused', () => {
  expect(overrides('node: n, sysctls: {vm.swappiness: 10}', 'node: n, sysctls: {vm.swappiness: 20}')[0]).toContain(
    'override "o0" sets another value for the same node',
  )
  expect(overrides('node: n, sysctls: {vm.swappiness: 10}', 'node: n, sysctls: {vm.swappiness: "10"}')).toEqual([])
  expect(overrides('node: n, sysctls: {kernel.modules_disabled: 1}')[0]).toContain('only with a boot')
})

test('overrides are fine when they agree, speak of different things, or of different nodes', () => {
  expect(overrides('node: n, flags: {v: 2}', 'node: n, flags: {v: 2}')).toEqual([])
  expect(
    overrides(
      'node: n, config: {evictionHard: {nodefs.available: 5%}}',
      'node: n, config: {evictionHard: {memory.available: 1Mi}}',
    ),
  ).toEqual([])
  expect(overrides('node: n, flags: {v: 2}', 'node: m, flags: {v: 3}')).toEqual([])
})

test('overrides with equal expressions are for the same nodes', () => {
  const selector = (values: string) => `nodeSelector: {matchExpressions: [{key: a, operator: In, values: [${values}]}]}`
  expect(overrides(`${selector('x, y')}, flags: {v: 2}`, `${selector('y, x')}, flags: {v: 3}`)).toHaveLength(1)
  expect(overrides(`${selector('x')}, flags: {v: 2}`, `${selector('y')}, flags: {v: 3}`)).toEqual([])
})

test('overrides with equal selectors are for the same nodes', () => {
  const selector = 'nodeSelector: {matchLabels: {a: x, b: y}}'

  expect(overrides(`${selector}, flags: {v: 2}`, `nodeSelector: {matchLabels: {b: y, a: x}}, flags: {v: 3}`)).toHaveLength(1)
})

test('an override is for a node or for a selector, and not for both or none', () => {
  expect(overrides('flags: {}')[0]).toContain('expected either node or nodeSelector')
  expect(overrides('node: n, nodeSelector: {matchLabels: {}}')[0]).toContain('expected either node or nodeSelector')
})
