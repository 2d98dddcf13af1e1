import { expect, test } from 'vitest'
import { goesDown, skewBreach, skewFacts } from '../../../src/rollout/control-plane/skew.ts'
import type { SkewFacts } from '../../../src/rollout/model/fleet-facts.ts'
import { aHost, but, instance, stacked } from './a-control-plane.ts'

const at = (version: string): SkewFacts => skewFacts({ nodes: [], instances: [], answers: [version] })
const three = stacked([aHost('a'), aHost('b'), aHost('c')])

test.each([
  ['1.36.3', '1.36.3'],
  ['1.36.9', '1.36.0'],
  ['1.33.0', '1.36.3'],
  ['1.36.3', 'v1.36.3-eks-1a2b3c'],
  ['1.36.3', 'v1.36.0+k3s1'],
])('kubelet %s is taken by an API server at %s', (kubelet, server) => {
  expect(skewBreach(kubelet, at(server))).toBeUndefined()
})

test('a kubelet of a newer minor is refused, with what is allowed', () => {
  expect(skewBreach('1.37.0', at('v1.36.3'))).toEqual({
    message: 'kubelet 1.37.0 is newer than the API server at v1.36.3; allowed: 1.33 to 1.36',
    passes: false,
  })
})

test('a kubelet that is newer than the oldest of API servers four minors apart is refused as newer', () => {
  const apart: SkewFacts = {
    kind: 'known',
    oldest: { name: '"a"', version: 'v1.32.1' },
    newest: { name: '"b"', version: 'v1.36.3' },
  }

  expect(skewBreach('1.33.0', apart)?.message).toBe('kubelet 1.33.0 is newer than "a" at v1.32.1; allowed: none')
})

test('a kubelet more than three minors older is refused, with what is allowed', () => {
  expect(skewBreach('1.32.9', at('v1.36.3'))).toEqual({
    message: 'kubelet 1.32.9 is more than 3 minors older than the API server at v1.36.3; allowed: 1.33 to 1.36',
    passes: false,
  })
})

test('of API servers that differ the oldest bounds upwards and the newest downwards', () => {
  const facts = skewFacts(but({ ...three, answers: ['v1.37.1'] }, 'kube-apiserver-b', { version: 'v1.37.1' }))

  expect(skewBreach('1.37.1', facts)?.message).toBe(
    'kubelet 1.37.1 is newer than API server "kube-apiserver-a" at 1.36.3; allowed: 1.34 to 1.36',
  )
  expect(skewBreach('1.33.9', facts)?.message).toBe(
    'kubelet 1.33.9 is more than 3 minors older than API server "kube-apiserver-b" at v1.37.1; allowed: 1.34 to 1.36',
  )
  expect(skewBreach('1.34.0', facts)).toBeUndefined()
})

test('an answer of an older API server counts besides the pods that are seen', () => {
  const facts = skewFacts({ ...three, answers: ['v1.36.3', 'v1.35.1'] })

  expect(skewBreach('1.36.3', facts)?.message).toBe(
    'kubelet 1.36.3 is newer than the API server at v1.35.1; allowed: 1.33 to 1.35',
  )
})

test.each([
  ['nothing answers', { ...three, answers: [] }, 'the API server has not reported its version'],
  ['the watch is broken', { ...three, outdated: 'the watch broke' }, 'the watch broke'],
  ['an API server is away', but(three, 'kube-apiserver-c', 'gone'), 'no API server is seen on control-plane node "c"'],
  [
    'an image has no tag',
    but(three, 'kube-apiserver-b', { version: 'latest' }),
    'the image of pod "kube-apiserver-b" has no tag that says its version',
  ],
  ['an answer is none', { ...three, instances: [], answers: ['edge'] }, 'the version of the API server, "edge", cannot be read'],
])('no version can be judged while %s', (_, view, why) => {
  expect(skewBreach('1.36.3', skewFacts(view))).toEqual({ message: `kubelet 1.36.3 cannot be checked: ${why}`, passes: true })
})

test('a node without the role may lack an API server, and so may all where none runs as a pod', () => {
  const [a, b] = [aHost('a'), aHost('b')]

  expect(skewFacts({ nodes: [a, b], instances: [], answers: ['v1.36.3'] }).kind).toBe('known')
  expect(skewFacts({ nodes: [a], instances: [instance('kube-apiserver', 'a')], answers: ['v1.36.3'] }).kind).toBe('known')
})

test.each([
  ['1.36.3', '1.35.9', true],
  ['1.36.3', '1.36.0', false],
  ['1.35.9', '1.36.0', false],
  ['', '1.36.0', false],
  ['1.36.3', undefined, false],
])('goesDown from %s to %s is %s', (from, to, expected) => {
  expect(goesDown(from, to)).toBe(expected)
})

test('a machine with the role of the control plane is no unknown API server before its first kubelet has run', () => {
  const joining = aHost('d').notReady().running('')

  expect(skewBreach('1.36.3', skewFacts({ ...three, nodes: [...three.nodes, joining] }))).toBeUndefined()
  expect(skewBreach('1.36.3', skewFacts({ ...three, nodes: [...three.nodes, aHost('d')] }))?.message).toBe(
    'kubelet 1.36.3 cannot be checked: no API server is seen on control-plane node "d"',
  )
})
