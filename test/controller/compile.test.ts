import { expect, test } from 'vitest'
import { createCompiler } from '../../src/controller/compile.ts'
import { aFleet } from './a-fleet.ts'
import { aSnapshot } from './a-snapshot.ts'

const compile = createCompiler({ namespace: 'nodewave-system' })

test('a commit from which no node of a pool can be rendered is as invalid as one that cannot be read', () => {
  const more = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: others}
spec: {nodeSelector: {matchLabels: {role: other}}, kubelet: {flags: {node-ip: "{{ node.ip }}"}}}
`
  const { problems, pools } = compile(aSnapshot('a', aFleet({ more })))
  expect(problems).toEqual([
    'fleet.yaml:20:79: flag --node-ip: "{{ node.ip }}" is not known; there are node.name, node.arch, node.osImage, node.internalIP and node.labels.<key>',
  ])
  expect(pools.size).toBe(0)
})

test('a commit that is valid has its pools and no problems', () => {
  const { problems, pools } = compile(aSnapshot('a', aFleet()))
  expect(problems).toEqual([])
  expect([...pools.keys()]).toEqual(['workers'])
})
