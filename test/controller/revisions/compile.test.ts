import { expect, test } from 'vitest'
import { createCompiler } from '../../../src/controller/revisions/compile.ts'
import { aFleet } from '../a-fleet.ts'
import { aSnapshot } from '../a-snapshot.ts'

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
    'fleet.yaml:20:79: flag --node-ip: "{{ node.ip }}" is unknown; known: node.name, node.arch, node.osImage, node.internalIP and node.labels.<key>',
  ])
  expect(pools.size).toBe(0)
})

test('a commit that is valid has its pools and no problems', () => {
  const { problems, pools } = compile(aSnapshot('a', aFleet()))
  expect(problems).toEqual([])
  expect([...pools.keys()]).toEqual(['workers'])
})

test('a commit is kept without the files that are nothing to the fleet, and means the same without them', () => {
  const more = `---
apiVersion: nodewave.io/v1alpha1
kind: HostProfile
metadata: {name: h}
spec: {files: [{path: /etc/motd, from: .files/motd}]}
`
  const all = { ...aFleet({ more }), 'picture.png': 'x'.repeat(1000), '.github/ci.yaml': 'on: push', '.files/motd': 'welcome' }
  const whole = compile(aSnapshot('a', all))
  expect(whole.problems).toEqual([])
  expect([...whole.files.keys()]).toEqual(['fleet.yaml', '.files/motd'])
  const again = compile({ ...aSnapshot('a'), files: whole.files })
  expect(again.pools.get('workers')?.fingerprint).toBe(whole.pools.get('workers')?.fingerprint)
})
